package dev.weir.kafka.internal.out.write;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;

/**
 * Holds the sender back when more lies in the client than it can make use of: beyond what is in flight to the brokers
 * and as much again to follow it, records only grow old, and their objects are copied by the collector (ADR 170).
 * Confined to the sender's thread, but for {@link #waitedNanos}.
 *
 * <pre>
 *   bound = for each broker: a batch for each of its partitions, being filled
 *           + 2 * max.in.flight.requests.per.connection * min(a batch for each of its partitions, max.request.size)
 * </pre>
 *
 * <p>What the client holds is read off its own meters once a batch of the pipeline, and what is waited for is an answer
 * to a record that was sent: nothing is counted per record, and nothing is waited for by time. A client without these
 * meters is not held back.
 */
final class SendWindow {

    /** Held back, the sender goes on when this part of the bound is free. */
    private static final int FREED_PART = 4;

    private static final int DEFAULT_BATCH = 16 * 1024;
    private static final int DEFAULT_REQUEST = 1024 * 1024;
    private static final int DEFAULT_IN_FLIGHT = 5;

    private final long batchBytes;
    private final long requestBytes;
    private final int requests;

    /** The last record of each batch of the pipeline, as far as it has no answer, the oldest first. */
    private final ArrayDeque<Future<?>> marks = new ArrayDeque<>();

    private @Nullable Metric total;
    private @Nullable Metric available;
    private @Nullable Metric largest;
    private long bound = Long.MAX_VALUE;

    // Written by the sender's thread, read by any.
    private volatile long waitedNanos;
    private volatile long waitsSinceNanos;
    private volatile boolean waits;

    /** Creates one that reads the bound off a producer's configuration; it holds nothing back before {@link #begin}. */
    SendWindow(Map<String, ?> config) {
        this.batchBytes = number(config, ProducerConfig.BATCH_SIZE_CONFIG, DEFAULT_BATCH);
        this.requestBytes = number(config, ProducerConfig.MAX_REQUEST_SIZE_CONFIG, DEFAULT_REQUEST);
        this.requests = number(config, ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, DEFAULT_IN_FLIGHT);
    }

    private static int number(Map<String, ?> config, String name, int otherwise) {
        Object said = config.get(name);
        Object parsed = said == null ? null : ConfigDef.parseType(name, said, ConfigDef.Type.INT);
        return parsed instanceof Integer number ? number : otherwise;
    }

    /** Another producer takes over. */
    void begin(Producer<?, ?> producer) {
        marks.clear();
        total = null;
        available = null;
        largest = null;
        producer.metrics().forEach(this::note);
    }

    private void note(MetricName name, Metric metric) {
        if (name.group().equals("producer-metrics")) {
            switch (name.name()) {
                case "buffer-total-bytes" -> total = metric;
                case "buffer-available-bytes" -> available = metric;
                case "record-size-max" -> largest = metric;
                default -> {
                    // another meter
                }
            }
        }
    }

    /**
     * Takes over to how many partitions is written.
     *
     * @param byBroker their number for each broker that leads some
     */
    void partitions(Collection<Integer> byBroker) {
        // A record that is larger than a batch has one of its own.
        double record = value(largest);
        long batch = record > batchBytes ? (long) record : batchBytes;
        long sum = 0;
        for (int partitions : byBroker) {
            long round = partitions * batch;
            sum += round + 2L * requests * Math.min(round, Math.max(requestBytes, batch));
        }
        bound = sum == 0 ? Long.MAX_VALUE : sum;
    }

    long bound() {
        return bound;
    }

    /** Notes a batch that was sent, by its last record. Returns whether to {@link #await} room. */
    boolean isFullWith(Future<?> last) {
        marks.add(last);
        while (!marks.isEmpty() && marks.element().isDone()) {
            marks.remove();
        }
        return !marks.isEmpty() && held() > bound;
    }

    /**
     * Returns when there is room for more, or an answer is a refusal. Each answer comes, if not from the brokers then
     * when the client is closed: by {@link OrderedProducer} at a refusal or at splits without end, also of another
     * partition. Where it cannot come, as the client's thread is dead, the {@link OrderedWriter#look} at it fails the
     * run, which interrupts this wait, as any other end of the run does.
     * A record that the client did not take is no mark.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void await() throws InterruptedException {
        waitsSinceNanos = System.nanoTime();
        waits = true;
        long goal = bound - bound / FREED_PART;
        try {
            boolean goesOn = true;
            for (long held = held(); goesOn && !marks.isEmpty() && held > goal; held = held()) {
                goesOn = isWritten(markThatFrees(held - goal, held));
            }
        } finally {
            waits = false;
            waitedNanos += System.nanoTime() - waitsSinceNanos;
        }
    }

    /**
     * The mark whose answer frees so much of what is held, if all are of one size: to be woken by each one costs more.
     */
    private Future<?> markThatFrees(long bytes, long held) {
        for (long before = Math.min(marks.size() - 1L, bytes * marks.size() / held); before > 0; before--) {
            marks.remove();
        }
        return marks.remove();
    }

    /** The time the sender was held back so far. Any thread. */
    long waitedNanos() {
        return waitedNanos + (waits ? System.nanoTime() - waitsSinceNanos : 0);
    }

    private static boolean isWritten(Future<?> sent) throws InterruptedException {
        try {
            Object ignored = sent.get();
            return true;
        } catch (ExecutionException refused) {
            return false; // the writer knows
        }
    }

    /** Bytes of the client's memory that are in use. */
    private long held() {
        return Math.max(0, (long) (value(total) - value(available)));
    }

    private static double value(@Nullable Metric metric) {
        return metric != null && metric.metricValue() instanceof Double value ? value : 0;
    }
}
