package dev.weir.lean;

import dev.weir.lean.internal.threads.LeanThread;
import dev.weir.lean.internal.threads.ReaderThreads;
import dev.weir.lean.spi.CpuBinding;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads complete topics on several threads, each with its own {@link LeanConsumer} and its own handler. Thread-safe.
 *
 * <p>If there are at least as many brokers as threads, no two threads fetch from the same broker. If there are fewer,
 * several threads fetch different partitions from one broker. When the leader of a partition moves, the partition may
 * move to another thread. Only one thread at a time owns a partition. The partition's records are delivered once and in
 * order, and the handling of a record happens-before the handling of the next record. Partitions that are added to a
 * topic are discovered as described at {@link LeanConsumer#assign(String, StartAt)}.
 *
 * <pre>{@code
 * LongAdder sum = new LongAdder();
 * try (LeanThreads threads = LeanThreads.builder(settings)
 *         .topic("clicks", StartAt.beginning())
 *         .threads(2)
 *         .records(thread -> record -> sum.add(record.value().getLong(0)))
 *         .start()) {
 *     threads.completion().toCompletableFuture().join();
 * }
 * }</pre>
 *
 * <p>An exception in any thread, including one thrown by a handler, stops all threads and fails {@link #completion}.
 * {@link LeanSettings} determines which faults are tolerated.
 */
public final class LeanThreads implements AutoCloseable {

    private final ReaderThreads crew;

    private LeanThreads(ReaderThreads crew) {
        this.crew = crew;
    }

    /** Returns a builder. Every thread's consumer uses these settings, so buffers and limits apply per thread. */
    public static Builder builder(LeanSettings settings) {
        return new Builder(Objects.requireNonNull(settings, "settings"));
    }

    /** Builds {@link LeanThreads} from topics, a number of threads, and handlers. Confined to one thread. */
    public static final class Builder {
        private final LeanSettings settings;
        private final Map<String, StartAt> topics = new LinkedHashMap<>();
        private int threads = 2;
        private int[] cpus = {};
        private @Nullable IntFunction<RecordHandler> records;
        private @Nullable IntFunction<BatchViewHandler> batches;

        private Builder(LeanSettings settings) {
            this.settings = settings;
        }

        /**
         * Adds all partitions of a topic.
         *
         * @param start the beginning, the end or a time
         */
        public Builder topic(String topic, StartAt start) {
            Objects.requireNonNull(topic, "topic");
            if (start.offset() >= 0) {
                throw new IllegalArgumentException(
                        "an offset belongs to one partition: topic=" + topic + " offset=" + start.offset());
            }
            if (topics.putIfAbsent(topic, start) != null) {
                throw new IllegalArgumentException("a topic is named once: topic=" + topic);
            }
            return this;
        }

        /**
         * Sets the number of threads: 1 to 64, default 2. If there are more threads than partitions, some threads are
         * idle.
         */
        public Builder threads(int count) {
            if (count < 1 || count > 64) {
                throw new IllegalArgumentException("threads must be 1 to 64: threads=" + count);
            }
            this.threads = count;
            return this;
        }

        /**
         * Binds each thread to a CPU. Requires one CPU number per thread, and the library {@code net.openhft:affinity},
         * which is loaded only if this method is called. The operating system must be configured to keep other work off
         * these CPUs.
         */
        public Builder cpus(int... numbers) {
            Objects.requireNonNull(numbers, "numbers");
            CpuBinding.check("cpus", numbers);
            this.cpus = numbers.clone();
            return this;
        }

        /**
         * Sets a factory that creates each thread's handler. The factory is called with the number of the thread, which
         * starts at 0. Each handler is called only by its own thread.
         */
        public Builder records(IntFunction<RecordHandler> handlers) {
            this.records = Objects.requireNonNull(handlers, "handlers");
            return this;
        }

        /** Does the same as {@link #records}, but the handlers are called once per batch. */
        public Builder batches(IntFunction<BatchViewHandler> handlers) {
            this.batches = Objects.requireNonNull(handlers, "handlers");
            return this;
        }

        /**
         * Starts the threads.
         *
         * @throws IllegalStateException if no topic was added, if no handlers or both kinds of handlers were set, or if
         *     the numbers of threads and CPUs differ
         * @throws LeanException if {@link #cpus} is set and the library that it requires is missing
         */
        public LeanThreads start() {
            check();
            ReaderThreads crew = new ReaderThreads();
            List<LeanThread> made = new ArrayList<>();
            try {
                for (int thread = 0; thread < threads; thread++) {
                    made.add(new LeanThread(
                            crew,
                            thread,
                            settings,
                            records == null ? null : Objects.requireNonNull(records.apply(thread), "handler"),
                            batches == null ? null : Objects.requireNonNull(batches.apply(thread), "handler"),
                            cpus.length == 0 ? -1 : cpus[thread]));
                }
                topics.forEach(made.getFirst()::assignAll);
            } catch (RuntimeException | Error e) {
                made.forEach(LeanThread::close);
                throw e;
            }
            made.forEach(crew::add);
            crew.start();
            return new LeanThreads(crew);
        }

        private void check() {
            if (topics.isEmpty()) {
                throw new IllegalStateException("nothing to read: call topic(...) before start()");
            }
            if ((records == null) == (batches == null)) {
                throw new IllegalStateException("one of records(...) and batches(...) must be called before start()");
            }
            if (cpus.length > 0) {
                if (cpus.length != threads) {
                    throw new IllegalStateException("cpus(...) names one for each thread: threads=" + threads + " cpus="
                            + Arrays.toString(cpus));
                }
                CpuBinding.demand("cpus(...)");
            }
        }
    }

    /**
     * The number of the thread that reads each partition, as last reported by the threads. Partitions that are moving
     * between threads are not included.
     */
    public Map<TopicPartition, Integer> owners() {
        return crew.owners();
    }

    /** A snapshot of the counters of each thread's consumer. */
    public List<LeanMetrics> metrics() {
        return crew.metrics();
    }

    /**
     * Completes when all threads have stopped. Completes exceptionally with the first failure, to which the other
     * failures are added as suppressed exceptions.
     */
    public CompletionStage<Void> completion() {
        return crew.completion();
    }

    /**
     * Stops all threads after their current record or batch, and waits until the handlers have returned, without a
     * timeout. A call from a handler does not wait. Failures are reported only by {@link #completion}.
     */
    @Override
    public void close() {
        crew.end();
        crew.join();
    }
}
