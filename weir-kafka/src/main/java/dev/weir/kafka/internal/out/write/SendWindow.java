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
 * Makes the sender wait while the client's buffer contains more records than the client can use: the batches being
 * filled, and twice the amount that may be in flight (ADR 170). Confined to the sender's thread, except for
 * {@link #waitedNanos}.
 *
 * <pre>
 *   bound = for each broker: one batch being filled for each of its partitions
 *           + 2 * max.in.flight.requests.per.connection * min(one batch for each of its partitions, max.request.size)
 * </pre>
 *
 * <p>Reads the client's memory use from its metrics once per batch of the pipeline. A wait ends when a record is
 * complete. Does not limit a client without these metrics or a lean producer.
 */
final class SendWindow {

    /** A waiting sender continues when {@code 1 / FREED_PART} of the limit is free. */
    private static final int FREED_PART = 4;

    private static final int DEFAULT_BATCH = 16 * 1024;
    private static final int DEFAULT_REQUEST = 1024 * 1024;
    private static final int DEFAULT_IN_FLIGHT = 5;

    private final long batchBytes;
    private final long requestBytes;
    private final int requests;

    /** The future of the last record of each unfinished batch, oldest first. */
    private final ArrayDeque<Future<?>> marks = new ArrayDeque<>();

    private @Nullable Metric total;
    private @Nullable Metric available;
    private @Nullable Metric largest;
    private long bound = Long.MAX_VALUE;

    private volatile long waitedNanos;
    private volatile long waitsSinceNanos;
    private volatile boolean waits;

    /** Creates a window with a limit from a producer's configuration. Before {@link #begin}, there is no limit. */
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
                    // irrelevant here
                }
            }
        }
    }

    /**
     * Sets the partitions to which the pipeline writes.
     *
     * @param byBroker the number of partitions per leader
     */
    void partitions(Collection<Integer> byBroker) {
        // A record that is larger than a batch gets a batch of its own.
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

    /** Adds a batch by the future of its last record. Returns whether the sender must call {@link #await}. */
    boolean isFullWith(Future<?> last) {
        if (bound == Long.MAX_VALUE) {
            return false;
        }
        marks.add(last);
        while (!marks.isEmpty() && marks.element().isDone()) {
            marks.remove();
        }
        return !marks.isEmpty() && held() > bound;
    }

    /** Waits until enough memory is free or a record was rejected. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // single writer
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
     * Returns the future after which enough memory is free, if batches have equal sizes.
     *
     * @param bytes the memory to be freed, less than {@code held}
     */
    private Future<?> markThatFrees(long bytes, long held) {
        for (long before = bytes * marks.size() / held; before > 0; before--) {
            marks.remove();
        }
        return marks.remove();
    }

    /** Returns the total time for which the sender has waited. May be called from any thread. */
    long waitedNanos() {
        return waitedNanos + (waits ? System.nanoTime() - waitsSinceNanos : 0);
    }

    private static boolean isWritten(Future<?> sent) throws InterruptedException {
        try {
            Object ignored = sent.get();
            return true;
        } catch (ExecutionException refused) {
            return false; // the writer handles the rejection
        }
    }

    /** Returns the used part of the client's memory in bytes. */
    private long held() {
        return Math.max(0, (long) (value(total) - value(available)));
    }

    private static double value(@Nullable Metric metric) {
        return metric != null && metric.metricValue() instanceof Double value ? value : 0;
    }
}
