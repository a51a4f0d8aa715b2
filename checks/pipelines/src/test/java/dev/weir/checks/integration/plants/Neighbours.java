package dev.weir.checks.integration.plants;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/** A child process that takes CPU time from the pipeline. It ends when its parent ends. Confined to one thread. */
final class Neighbours implements AutoCloseable {

    private static final int MOST_PROCESSORS = 2;
    private static final long SLICE_NANOS = 20_000_000;

    private final Process process;
    private final PrintWriter orders;

    Neighbours() {
        try {
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx32m",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Neighbours.class.getName())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        orders = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Sets the number of processors to use: 0 to 2, including fractions. */
    void take(double processors) {
        orders.println(processors);
    }

    @Override
    public void close() {
        orders.close();
        process.destroy();
    }

    /** Reads numbers of processors, one per line, until its input ends. */
    public static void main(String[] args) throws IOException {
        AtomicReference<Double> taken = new AtomicReference<>(0.0);
        for (int i = 0; i < MOST_PROCESSORS; i++) {
            int index = i;
            Thread.ofPlatform().daemon().start(() -> burn(taken, index));
        }
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            taken.set(Double.valueOf(line));
        }
    }

    private static void burn(AtomicReference<Double> taken, int index) {
        while (true) {
            double share = Math.clamp(taken.get() - index, 0.0, 1.0);
            long end = System.nanoTime() + (long) (share * SLICE_NANOS);
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            Work.park((long) ((1 - share) * SLICE_NANOS));
        }
    }
}
