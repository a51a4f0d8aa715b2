package dev.weir.metrics.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads one connection's requests within limits of time and size. Confined to the connection's thread. */
final class RequestReader {

    private static final int FIRST_BYTES = 1024;

    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Socket socket;
    private final InputStream in;

    /** Unconsumed bytes, from {@link #at} to {@link #end}. Grows up to the maximum size of the headers. */
    private byte[] buffer = new byte[FIRST_BYTES];

    private int at;
    private int end;

    private long endNanos;
    private long bodyLeft;
    private boolean continueDue;

    RequestReader(Socket socket) throws IOException {
        this.socket = socket;
        this.in = socket.getInputStream();
    }

    /**
     * Waits for the next request.
     *
     * @param idle the maximum time to wait for the first byte of the request
     * @param whole the maximum time from the first byte until the request and its body have arrived
     * @return the request, or null if the client has closed the connection
     * @throws SocketTimeoutException if a time limit is exceeded
     */
    @Nullable
    Request next(Duration idle, Duration whole) throws IOException {
        endNanos = System.nanoTime() + idle.toNanos();
        if (at == end && !fill()) {
            return null;
        }
        endNanos = System.nanoTime() + whole.toNanos();
        List<String> lines = new ArrayList<>();
        int left = HttpLimits.MAX_HEADER_BYTES;
        while (true) {
            String line = line(left);
            if (line == null) {
                return null;
            }
            left -= line.length() + 1;
            String text = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
            if (!text.isEmpty()) {
                lines.add(text);
            } else if (!lines.isEmpty()) {
                // An empty line ends the headers. Empty lines before the request line are ignored.
                break;
            }
            if (lines.size() > HttpLimits.MAX_HEADERS + 1) {
                throw new RequestException(431, "a request has at most " + HttpLimits.MAX_HEADERS + " headers");
            }
        }
        return Request.of(lines);
    }

    /** Returns the next line without its terminator, or null if the client has closed the connection. */
    private @Nullable String line(int most) throws IOException {
        int scanned = at;
        while (true) {
            for (; scanned < end; scanned++) {
                if (buffer[scanned] == '\n') {
                    String line = new String(buffer, at, scanned - at, StandardCharsets.ISO_8859_1);
                    at = scanned + 1;
                    return line;
                }
            }
            if (end - at >= most) {
                throw new RequestException(
                        431, "request line and headers have at most " + HttpLimits.MAX_HEADER_BYTES + " bytes");
            }
            int before = at;
            if (!fill()) {
                return null;
            }
            // fill() may have moved the unread bytes to the start of the buffer.
            scanned -= before - at;
        }
    }

    /** Reads more bytes. Returns false at the end of the stream. */
    private boolean fill() throws IOException {
        if (end == buffer.length) {
            if (at > 0) {
                System.arraycopy(buffer, at, buffer, 0, end - at);
                end -= at;
                at = 0;
            } else {
                buffer = Arrays.copyOf(buffer, 2 * buffer.length);
            }
        }
        int read = read(buffer, end, buffer.length - end);
        end += Math.max(0, read);
        return read > 0;
    }

    private int read(byte[] into, int from, int length) throws IOException {
        long leftMillis = (endNanos - System.nanoTime()) / 1_000_000;
        if (leftMillis <= 0) {
            throw new SocketTimeoutException("the request did not arrive in time");
        }
        socket.setSoTimeout((int) Math.min(leftMillis, Integer.MAX_VALUE));
        return in.read(into, from, length);
    }

    /** Returns the body of the last request. Its first read sends {@code 100 Continue} if the client expects it. */
    InputStream body(Request request, OutputStream out) {
        bodyLeft = request.bodyBytes();
        continueDue = bodyLeft > 0 && request.expectsContinue();
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                if (continueDue) {
                    continueDue = false;
                    out.write(CONTINUE);
                    out.flush();
                }
                return readBody(into, from, length);
            }
        };
    }

    private int readBody(byte[] into, int from, int length) throws IOException {
        if (bodyLeft == 0 || length == 0) {
            return length == 0 ? 0 : -1;
        }
        int most = (int) Math.min(length, bodyLeft);
        int read;
        if (at < end) {
            read = Math.min(most, end - at);
            System.arraycopy(buffer, at, into, from, read);
            at += read;
        } else {
            read = read(into, from, most);
        }
        if (read < 0) {
            throw new IOException("the request ended within its body");
        }
        bodyLeft -= read;
        return read;
    }

    /** Skips the remaining body. Returns false if more than {@code most} bytes are left. */
    boolean skipBody(int most) throws IOException {
        if (bodyLeft > most || continueDue) {
            return false;
        }
        byte[] skipped = new byte[(int) bodyLeft];
        while (bodyLeft > 0) {
            int ignored = readBody(skipped, 0, skipped.length);
        }
        return true;
    }
}
