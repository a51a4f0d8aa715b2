package dev.weir.cli.fleet;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Answers {@code /api/state} as the console of a pipeline would. Its maker closes it. */
final class StandIn implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** Answers with a status and a body. */
    StandIn(int status, String body) {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/api/state", exchange -> {
            byte[] bytes = body.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
    }

    /** One of a pipeline. */
    static StandIn of(String pipeline, String reads, String writes, long lag, long rate, String limiter) {
        return new StandIn(200, state(pipeline, reads, writes, lag, rate, limiter));
    }

    static String state(String pipeline, String reads, String writes, long lag, long rate, String limiter) {
        return """
                {"at":"2026-11-28T00:00:00Z","state":"running","live":true,"ready":true,"progressing":true,"pipeline":"%s",
                 "reads":"topics %s","partitions":[{"topic":"%s","partition":0,"lag":%d,"paused":[]}],"writes":["%s"],
                 "stages":[{"name":"consume","in_per_second":%d,"out_per_second":%d},
                           {"name":"sink","in_per_second":%d,"out_per_second":%d}],
                 "limiter":{"kind":"%s","name":"price","sentence":"price waits","advice":"raise it","expected_gain":2.0,
                            "measured_gain":null}}
                """.formatted(pipeline, reads, reads, lag, writes, rate, rate, rate, rate, limiter);
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + port());
    }

    int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
