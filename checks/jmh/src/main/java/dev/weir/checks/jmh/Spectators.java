package dev.weir.checks.jmh;

import dev.weir.console.ConsoleServer;
import dev.weir.console.profile.Profiler;
import dev.weir.metrics.LimiterProbe;
import dev.weir.metrics.MetricsServer;
import dev.weir.stream.RunningPipeline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;

/**
 * All observers of a pipeline: a metrics scrape every second, a reader of the console's events, the console's limiter,
 * and optionally a profile of maximum duration. {@link #of} returns when each observer has a response and the profile
 * has begun. Owned by one thread, which closes the observers before the pipeline.
 */
final class Spectators implements AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** More than a response's headers, and less than an event. */
    private static final int HEAD_BYTES = 1000;

    private final CountDownLatch over = new CountDownLatch(1);
    private final CountDownLatch watching = new CountDownLatch(1);
    private final CountDownLatch recorded = new CountDownLatch(1);
    private final FlightRecorderListener recording = new FlightRecorderListener() {
        @Override
        public void recordingStateChanged(Recording changed) {
            if (changed.getState() == RecordingState.RUNNING) {
                recorded.countDown();
            }
        }
    };
    private final AtomicLong scrapes = new AtomicLong();
    private final AtomicLong events = new AtomicLong();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final LimiterProbe probe;
    private final MetricsServer metrics;
    private final ConsoleServer console;
    private final Thread scraper;
    private final Thread reader;
    private final Thread profiler;

    private Spectators(RunningPipeline running, boolean profiled) throws IOException {
        probe = LimiterProbe.start(running);
        metrics = MetricsServer.builder().start(running);
        console = ConsoleServer.builder().start();
        console.show(running, probe::limiter);
        scraper = Thread.ofPlatform().daemon().name("spectator-scrapes").unstarted(this::scrapeEachSecond);
        reader = Thread.ofPlatform().daemon().name("spectator-reads").unstarted(this::readEvents);
        profiler = Thread.ofPlatform().daemon().name("spectator-profiles").unstarted(this::profile);
        scraper.start();
        reader.start();
        if (profiled) {
            FlightRecorder.addListener(recording);
            profiler.start();
        } else {
            recorded.countDown();
        }
    }

    static Spectators of(RunningPipeline running, boolean profiled) throws IOException, InterruptedException {
        Spectators spectators = new Spectators(running, profiled);
        if (!spectators.watching.await(10, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the console sent no event");
        }
        if (!spectators.recorded.await(10, TimeUnit.SECONDS)) {
            throw new IllegalStateException("no recording began");
        }
        return spectators;
    }

    private void scrapeEachSecond() {
        try {
            do {
                try (Socket socket = ask(metrics.uri(), "/metrics")) {
                    String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                    if (answer.contains("weir_stage_elements_in_total")) {
                        scrapes.incrementAndGet();
                    }
                    connections.remove(socket);
                }
            } while (!over.await(1, TimeUnit.SECONDS));
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt(); // Closed.
        }
    }

    private void readEvents() {
        byte[] buffer = new byte[1 << 16];
        try (Socket socket = ask(console.uri(), "/api/events");
                InputStream stream = socket.getInputStream()) {
            int bytes = 0;
            for (int read = stream.read(buffer); read > 0; read = stream.read(buffer)) {
                bytes += read;
                if (bytes > HEAD_BYTES) {
                    events.incrementAndGet();
                    watching.countDown();
                }
            }
        } catch (IOException e) {
            Thread.currentThread().interrupt(); // Closed.
        }
    }

    /** Sends a hand-written request. The JDK's HTTP client would cost more processor time than the response. */
    private Socket ask(URI server, String path) throws IOException {
        Socket socket = new Socket(server.getHost(), server.getPort());
        connections.add(socket);
        if (over.getCount() == 0) {
            socket.close();
        }
        String request =
                "GET " + path + " HTTP/1.1\r\nHost: " + server.getAuthority() + "\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private void profile() {
        try {
            var unused = Profiler.create().time(LONG).recordThisProcess();
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt(); // Closed.
        }
    }

    /** Throws unless every observer has received data. */
    void check() {
        if (scrapes.get() == 0 || events.get() == 0) {
            throw new IllegalStateException("scrapes=" + scrapes + " events=" + events);
        }
    }

    @Override
    public void close() {
        over.countDown();
        profiler.interrupt();
        FlightRecorder.removeListener(recording);
        connections.forEach(Spectators::close);
        console.close();
        metrics.close();
        probe.close();
        reader.interrupt();
        try {
            scraper.join();
            reader.join();
            profiler.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
