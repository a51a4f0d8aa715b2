package dev.weir.metrics.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request and its response (RFC 9112). Confined to the connection's thread. */
final class Exchange extends HttpExchange {

    private static final int CHUNK_BYTES = 4096;

    private static final Map<Integer, String> PHRASES = Map.ofEntries(
            Map.entry(200, "OK"),
            Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not Found"),
            Map.entry(405, "Method Not Allowed"),
            Map.entry(409, "Conflict"),
            Map.entry(411, "Length Required"),
            Map.entry(413, "Content Too Large"),
            Map.entry(431, "Request Header Fields Too Large"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(503, "Service Unavailable"),
            Map.entry(505, "HTTP Version Not Supported"));

    private final Socket socket;
    private final Request request;
    private final OutputStream out;
    private final Headers response = new Headers();
    private final Map<String, Object> attributes = new HashMap<>();
    private InputStream requestBody;
    private @Nullable OutputStream responseBody;
    private int status = -1;
    private boolean reusable;
    private boolean complete;

    Exchange(Socket socket, Request request, InputStream requestBody, OutputStream out) {
        this.socket = socket;
        this.request = request;
        this.requestBody = requestBody;
        this.out = out;
    }

    static String phrase(int status) {
        return PHRASES.getOrDefault(status, "Status");
    }

    /** Returns whether the response is complete and another request may follow. */
    boolean isReusable() {
        return complete && reusable;
    }

    /**
     * Sends the status and headers.
     *
     * @param length the length of the body; 0 if unknown, -1 if there is none
     */
    @Override
    public void sendResponseHeaders(int newStatus, long length) throws IOException {
        if (status >= 0) {
            throw new IOException("headers are sent already");
        }
        status = newStatus;
        boolean chunked = length == 0 && request.version().equals("HTTP/1.1");
        reusable = request.keepsOpen();
        response.set("Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)));
        if (length > 0) {
            response.set("Content-Length", Long.toString(length));
        } else if (chunked) {
            response.set("Transfer-Encoding", "chunked");
        } else if (length < 0 && !request.method().equals("HEAD")) {
            response.set("Content-Length", "0");
        }
        if (!reusable) {
            response.set("Connection", "close");
        }
        StringBuilder head =
                new StringBuilder("HTTP/1.1 ").append(status).append(' ').append(phrase(status));
        response.forEach((name, values) -> values.forEach(
                value -> head.append("\r\n").append(name).append(": ").append(value)));
        out.write(head.append("\r\n\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        responseBody = length < 0 ? new Fixed(0) : chunked ? new Chunked() : new Fixed(length == 0 ? -1 : length);
        if (length < 0) {
            responseBody.close();
        }
    }

    /** A body of known length, or a body that ends when the connection is closed. */
    private final class Fixed extends OutputStream {

        private long left;

        /** Creates the body; {@code length} is -1 if the body ends when the connection is closed. */
        Fixed(long length) {
            this.left = length < 0 ? Long.MAX_VALUE : length;
        }

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            if (length > left) {
                throw new IOException("the body is longer than its headers say");
            }
            out.write(bytes, from, length);
            left -= length;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.flush();
            complete = left == 0;
        }
    }

    /** A body in chunked transfer encoding. */
    private final class Chunked extends OutputStream {

        private final byte[] chunk = new byte[CHUNK_BYTES];
        private int filled;
        private boolean ended;

        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            int at = from;
            int left = length;
            while (left > 0) {
                if (filled == chunk.length) {
                    writeChunk();
                }
                int part = Math.min(left, chunk.length - filled);
                System.arraycopy(bytes, at, chunk, filled, part);
                filled += part;
                at += part;
                left -= part;
            }
        }

        private void writeChunk() throws IOException {
            if (filled > 0) {
                out.write((Integer.toHexString(filled) + "\r\n").getBytes(StandardCharsets.US_ASCII));
                out.write(chunk, 0, filled);
                out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
                filled = 0;
            }
        }

        @Override
        public void flush() throws IOException {
            writeChunk();
            out.flush();
        }

        @Override
        public void close() throws IOException {
            if (!ended) {
                ended = true;
                writeChunk();
                out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                out.flush();
                complete = true;
            }
        }
    }

    /** Ends the exchange. The connection remains open only if the response is complete. */
    @Override
    public void close() {
        // Nothing to release: the Connection closes the socket unless isReusable() returns true.
    }

    @Override
    public Headers getRequestHeaders() {
        return request.headers();
    }

    @Override
    public Headers getResponseHeaders() {
        return response;
    }

    @Override
    public URI getRequestURI() {
        return request.target();
    }

    @Override
    public String getRequestMethod() {
        return request.method();
    }

    @Override
    public InputStream getRequestBody() {
        return requestBody;
    }

    @Override
    public OutputStream getResponseBody() {
        if (responseBody == null) {
            throw new IllegalStateException("the headers come first");
        }
        return responseBody;
    }

    @Override
    public InetSocketAddress getRemoteAddress() {
        return (InetSocketAddress) socket.getRemoteSocketAddress();
    }

    @Override
    public InetSocketAddress getLocalAddress() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    @Override
    public int getResponseCode() {
        return status;
    }

    @Override
    public String getProtocol() {
        return request.version();
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return attributes.get(name);
    }

    @Override
    public void setAttribute(String name, @Nullable Object value) {
        attributes.put(name, value);
    }

    @Override
    public void setStreams(@Nullable InputStream in, @Nullable OutputStream newOut) {
        requestBody = in == null ? requestBody : in;
        responseBody = newOut == null ? responseBody : newOut;
    }

    @Override
    public HttpContext getHttpContext() {
        throw new UnsupportedOperationException("there is one handler for all paths");
    }

    @Override
    public @Nullable HttpPrincipal getPrincipal() {
        return null;
    }
}
