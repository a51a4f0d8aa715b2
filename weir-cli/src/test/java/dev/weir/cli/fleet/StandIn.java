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
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers {@code /api/state} like a pipeline's console. Its creator closes it. */
final class StandIn implements AutoCloseable {

    private final HttpServer server;
    private final AtomicInteger asked = new AtomicInteger();
    private volatile @Nullable String body;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    StandIn(int status, @Nullable String body) {
        this.body = body;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/api/state", exchange -> {
            asked.incrementAndGet();
            String answer = this.body;
            if (answer == null) {
                exchange.sendResponseHeaders(status, 100);
                exchange.getResponseBody().write('{');
                exchange.getResponseBody().flush();
                return;
            }
            byte[] bytes = answer.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
    }

    /** Returns a server that sends only the beginning of an answer. */
    static StandIn stalling() {
        return new StandIn(200, null);
    }

    /** Sets later answers. With null, each answer stops midway. */
    void answer(@Nullable String newBody) {
        body = newBody;
    }

    /** Number of requests. */
    int asked() {
        return asked.get();
    }

    /** Returns a member of a pipeline. Its rate is an average over five seconds. */
    static StandIn of(String pipeline, String reads, String writes, long lag, double rate, String limiter) {
        return new StandIn(200, state(pipeline, reads, writes, lag, rate, limiter));
    }

    static String state(String pipeline, String reads, String writes, long lag, double rate, String limiter) {
        long taken = Math.round(5 * rate);
        return """
                {"at":"2026-11-28T00:00:00Z","state":"running","live":true,"ready":true,"progressing":true,"pipeline":"%s",
                 "reads":"topics %s","partitions":[{"topic":"%s","partition":0,"lag":%d,"paused":[]}],"writes":["%s"],
                 "figures":{"seconds":5.0},
                 "stages":[{"name":"consume","out_per_second":%s,"recent_out":%d,"recent_out_per_second":%s},
                           {"name":"sink","out_per_second":%s,"recent_out":%d,"recent_out_per_second":%s}],
                 "limiter":{"kind":"%s","name":"price","sentence":"price waits","advice":"raise it","expected_gain":2.0,
                            "measured_gain":null}}
                """.formatted(pipeline, reads, reads, lag, writes, rate, taken, rate, rate, taken, rate, limiter);
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
