package dev.weir.checks.jmh;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Measures start times and prints them as a table row. With {@code command}, the time from the start to the end of a
 * command's process. With {@code record}, the time from the start of {@code examples/plain} until the first invoice is
 * in the output topic.
 *
 * <p>Run: {@code checks/start.sh}, which calls {@code StartTimes TIMES command NAME COMMAND...} and {@code StartTimes
 * TIMES record NAME BROKERS COMMAND...}. Unless TIMES is 1, three warm-up starts come first and are not counted.
 */
public final class StartTimes {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int WARM_UPS = 3;

    private StartTimes() {}

    /** Runs the program with the arguments described in the class comment. */
    public static void main(String[] args) throws Exception {
        List<String> words = List.of(args);
        long[] nanos = new long[Integer.parseInt(args[0])];
        if (args[1].equals("command")) {
            for (int i = -warmUps(nanos); i < nanos.length; i++) {
                long taken = command(words.subList(3, words.size()));
                if (i >= 0) {
                    nanos[i] = taken;
                }
            }
        } else {
            records(args[3], words.subList(4, words.size()), nanos);
        }
        Arrays.sort(nanos);
        System.out.printf(
                "| %s | %d | %d | %d | %d |%n",
                args[2],
                nanos.length,
                millis(nanos[0]),
                millis((nanos[(nanos.length - 1) / 2] + nanos[nanos.length / 2]) / 2),
                millis(nanos[nanos.length - 1]));
    }

    /** Returns the number of warm-up starts: none if there is only one start. */
    private static int warmUps(long[] nanos) {
        return nanos.length == 1 ? 0 : WARM_UPS;
    }

    /** Stops the process and waits for its end. */
    private static void end(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            process.destroyForcibly().waitFor();
            throw new IllegalStateException("a process did not end within " + PATIENCE.toSeconds() + " s");
        }
    }

    private static long millis(long nanos) {
        return Math.round(nanos / 1e6);
    }

    private static long command(List<String> command) throws IOException, InterruptedException {
        long start = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int bytes = process.getInputStream().readAllBytes().length;
        int status = process.waitFor();
        long nanos = System.nanoTime() - start;
        if (bytes == 0 || status != 0) {
            throw new IllegalStateException(command + " printed " + bytes + " bytes and ended with " + status);
        }
        return nanos;
    }

    private static void records(String brokers, List<String> command, long[] nanos) throws Exception {
        Map<String, Object> config = Map.of("bootstrap.servers", brokers);
        TopicPartition invoices = new TopicPartition("invoices", 0);
        try (KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
                KafkaConsumer<byte[], byte[]> consumer =
                        new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(invoices));
            consumer.seekToEnd(List.of(invoices));
            consumer.position(invoices);
            for (int i = -warmUps(nanos); i < nanos.length; i++) {
                producer.send(new ProducerRecord<>("orders", new byte[8])).get();
                long start = System.nanoTime();
                Process process = new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                try {
                    if (consumer.poll(PATIENCE).count() != 1) {
                        throw new IllegalStateException(command + " wrote nothing, or more than was asked for");
                    }
                    if (i >= 0) {
                        nanos[i] = System.nanoTime() - start;
                    }
                } finally {
                    end(process);
                }
            }
        }
    }
}
