package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sends arbitrary bytes to the port. The pipeline must lose nothing. The console must then answer as before, close
 * without delay, and leave no thread. A failure prints the seed. {@code -Dweir.fuzz.seconds=600} fuzzes for longer than
 * 2 seconds.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class ConsoleFuzzTest {

    private static final int SECONDS = Integer.getInteger("weir.fuzz.seconds", 2);

    private static final List<String> BASES = List.of(
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\nLast-Event-ID: 1\r\n\r\n",
            "HEAD /api/state HTTP/1.0\r\nHost: [::1]\r\nConnection: keep-alive\r\n\r\n",
            "POST /api/control HTTP/1.1\r\nHost: localhost\r\nContent-Length: 27\r\n\r\n{\"set\":{\"log.x.y\":\"info\"}}\n",
            "POST /api/control HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"set\r\n0\r\n\r\n",
            "POST /api/control HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n{",
            "GET http://[::1]:x/%%%00 HTTP/9.9\r\nHost: \u00ff\r\nExpect: 100-continue\r\n: \r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\r\n\r\n\r\n\r\n");

    @Test
    void bytes_ofAnyKind_doNoHarm() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong out = new AtomicLong();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Pipeline pipeline = Source.range(0, Long.MAX_VALUE)
                .takeWhile(number -> !over.get())
                .mapBlocking(4, Ordering.input(), number -> number)
                .named("work")
                .to(Sink.forEach(number -> assertThat(number).isEqualTo(out.getAndIncrement())));
        RunningPipeline running = pipeline.run();
        ConsoleServer console = ConsoleServer.builder().start(running);
        try (Asker asker = new Asker(console)) {
            long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
            int connections = 0;
            while (System.nanoTime() < end) {
                attack(console.uri().getPort(), random);
                connections++;
            }
            assertThat(asker.get("/api/state").body())
                    .as("seed %d, %d connections", seed, connections)
                    .contains("\"work\"");
            assertThat(running.completion().isDone()).as("seed %d", seed).isFalse();
        } finally {
            over.set(true);
            assertThat(running.await().drained()).as("seed %d", seed).isTrue();
            console.close();
        }
        assertThat(out.get()).isPositive();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("weir-console")));
    }

    private static void attack(int port, Random random) {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(20);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
            OutputStream out = socket.getOutputStream();
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                out.write(bytes(random));
                if (random.nextInt(8) == 0) {
                    socket.shutdownOutput();
                    break;
                }
            }
            if (random.nextInt(4) == 0) {
                socket.setSoLinger(true, 0);
            } else {
                socket.getInputStream().read(new byte[random.nextInt(1, 4096)]);
            }
        } catch (IOException ignored) {
            // The console may refuse or cut off the request.
        }
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = BASES.get(random.nextInt(BASES.size())).getBytes(StandardCharsets.ISO_8859_1);
        switch (random.nextInt(4)) {
            case 0 -> {
                bytes = new byte[random.nextInt(1, 20_000)];
                random.nextBytes(bytes);
            }
            case 1 -> {
                for (int i = random.nextInt(1, 6); i > 0; i--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
            }
            case 2 -> bytes = Arrays.copyOf(bytes, random.nextInt(1, bytes.length));
            default -> {
                // Sent unchanged.
            }
        }
        return bytes;
    }
}
