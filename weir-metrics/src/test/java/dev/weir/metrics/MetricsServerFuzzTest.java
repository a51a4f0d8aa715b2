package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sends arbitrary bytes to the port. The server must then answer as before and close without delay. A failure prints
 * the seed. {@code -Dweir.fuzz.seconds=600} fuzzes for longer than 3 seconds.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class MetricsServerFuzzTest {

    private static final int SECONDS = Integer.getInteger("weir.fuzz.seconds", 3);

    private static final List<String> BASES = List.of(
            "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
            "HEAD /health/ready HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "GET /metrics HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            "GET http://[::1]:x/%%%00 HTTP/9.9\r\nExpect: 100-continue\r\n: \r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\r\n\r\n\r\n\r\n");

    @Test
    void bytes_ofAnyKind_doNoHarm() throws Exception {
        StubPipeline pipeline = new StubPipeline("orders");
        pipeline.stages.add(StubPipeline.stage("price", 1, 1));
        long seed = System.nanoTime();
        Random random = new Random(seed);
        MetricsServer server = MetricsServer.builder().start(pipeline);
        try (HttpClient client = HttpClient.newHttpClient()) {
            long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
            int connections = 0;
            while (System.nanoTime() < end) {
                attack(server.port(), random);
                connections++;
            }
            HttpRequest scrape = HttpRequest.newBuilder(URI.create(server.uri() + "/metrics"))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            assertThat(client.send(scrape, BodyHandlers.ofString()).body())
                    .as("seed %d, %d connections", seed, connections)
                    .contains("weir_stage_elements_in_total");
        } finally {
            long start = System.nanoTime();
            server.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("seed %d", seed)
                    .isLessThan(Duration.ofSeconds(5));
        }
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
            // The server may refuse or cut off the request.
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
