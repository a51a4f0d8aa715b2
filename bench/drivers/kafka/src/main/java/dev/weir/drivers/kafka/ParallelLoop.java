package dev.weir.drivers.kafka;

import dev.weir.driver.Driver;
import dev.weir.driver.Feature;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Two common ways to run handlers in parallel on one consumer of the official client. Both commit finished records. The
 * main thread owns the consumer. Handlers run on worker threads. Each worker has a queue and handles one record at a
 * time. The ordering determines how records are assigned to workers: by partition, by key, or in turn.
 *
 * <pre>
 * blocking      poll, hand all records to the workers, wait until all are finished, poll again
 * continuous    keep polling; pause partitions that have too many unfinished records; commit each partition up to its
 *               first unfinished record
 * </pre>
 */
final class ParallelLoop implements Driver {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration SHORT_POLL = Duration.ofMillis(5);

    /** Maximum number of unfinished records per worker. */
    private static final int AHEAD = 50;

    private final boolean isContinuous;

    ParallelLoop(boolean isContinuous) {
        this.isContinuous = isContinuous;
    }

    /** A record in flight. */
    private static final class Slot {
        private final long offset;
        private volatile boolean isDone;

        Slot(long offset) {
            this.offset = offset;
        }
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.AT_LEAST_ONCE, Scenario.WORK);
    }

    @Override
    public Set<Feature> features() {
        return Set.of(Feature.TOPICS);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        try (Workers workers = new Workers(pass);
                Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                        new HashMap<String, Object>(pass.clientConfig().consumer(Map.of())),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer())) {
            consumer.subscribe(pass.topics().names());
            new Loop(pass, consumer, workers).run();
        }
    }

    /** One pass. Confined to the main thread. */
    private final class Loop {
        private final Pass pass;
        private final Consumer<byte[], byte[]> consumer;
        private final Workers workers;
        private final Map<TopicPartition, Deque<Slot>> underWay = new HashMap<>(); // in order of offsets
        private final Map<TopicPartition, OffsetAndMetadata> finished = new HashMap<>(); // not committed yet
        private final int most; // limit for unfinished records of a partition

        Loop(Pass pass, Consumer<byte[], byte[]> consumer, Workers workers) {
            this.pass = pass;
            this.consumer = consumer;
            this.workers = workers;
            this.most = Math.max(
                    AHEAD,
                    pass.options().concurrency() * AHEAD / pass.configuration().partitions());
        }

        void run() throws InterruptedException {
            long everyNanos = TimeUnit.MILLISECONDS.toNanos(pass.options().commitIntervalMillis());
            long dueNanos = System.nanoTime() + everyNanos;
            while (!pass.isDone()) {
                ConsumerRecords<byte[], byte[]> polled =
                        consumer.poll(isContinuous && workers.busy() > 0 ? SHORT_POLL : POLL);
                pass.polled(polled.count());
                // Drop revoked partitions, because another member now commits their offsets.
                underWay.keySet().retainAll(consumer.assignment());
                finished.keySet().retainAll(consumer.assignment());
                for (ConsumerRecord<byte[], byte[]> record : polled) {
                    Slot slot = new Slot(record.offset());
                    underWay.computeIfAbsent(
                                    new TopicPartition(record.topic(), record.partition()), p -> new ArrayDeque<>())
                            .add(slot);
                    workers.take(record, slot);
                }
                if (isContinuous) {
                    holdBack();
                } else {
                    workers.awaitIdle();
                }
                finish();
                if (System.nanoTime() - dueNanos >= 0 && !finished.isEmpty()) {
                    consumer.commitAsync(new HashMap<>(finished), null);
                    finished.clear();
                    dueNanos = System.nanoTime() + everyNanos;
                }
            }
            workers.awaitIdle();
            finish();
            if (!finished.isEmpty()) {
                consumer.commitSync(finished);
            }
        }

        private void holdBack() {
            Set<TopicPartition> full = new HashSet<>();
            underWay.forEach((partition, slots) -> {
                if (slots.size() >= most) {
                    full.add(partition);
                }
            });
            Set<TopicPartition> free = new HashSet<>(consumer.paused());
            free.removeAll(full);
            consumer.resume(free);
            consumer.pause(full);
        }

        private void finish() {
            underWay.forEach((partition, slots) -> {
                long past = -1;
                for (Slot first = slots.peek(); first != null && first.isDone; first = slots.peek()) {
                    past = first.offset + 1;
                    slots.remove();
                }
                if (past >= 0) {
                    finished.put(partition, new OffsetAndMetadata(past));
                }
            });
        }
    }

    /**
     * Threads that call handlers, each with its own queue. Any thread may submit records; one thread waits for them.
     */
    private static final class Workers implements AutoCloseable {
        private final Pass pass;
        private final HandlerWork work;
        private final boolean works;
        private final ExecutorService[] workers;
        private final AtomicInteger busy = new AtomicInteger();
        private final Object idle = new Object();
        private int turn;

        Workers(Pass pass) {
            this.pass = pass;
            this.work = pass.work();
            this.works = pass.configuration().scenario() == Scenario.WORK;
            this.workers = new ExecutorService[pass.options().concurrency()];
            Arrays.setAll(
                    workers,
                    worker -> Executors.newSingleThreadExecutor(
                            Thread.ofPlatform().name("worker-" + worker).factory()));
        }

        int busy() {
            return busy.get();
        }

        void take(ConsumerRecord<byte[], byte[]> record, Slot slot) {
            busy.incrementAndGet();
            workers[worker(record)].execute(() -> handle(record, slot));
        }

        private int number(ConsumerRecord<byte[], byte[]> record) {
            return pass.topics().number(record.topic(), record.partition());
        }

        private int worker(ConsumerRecord<byte[], byte[]> record) {
            return switch (pass.options().ordering()) {
                case PARTITION -> number(record) % workers.length;
                case KEY -> Math.floorMod(Arrays.hashCode(record.key()), workers.length);
                case NONE -> {
                    turn = (turn + 1) % workers.length;
                    yield turn;
                }
            };
        }

        private void handle(ConsumerRecord<byte[], byte[]> record, Slot slot) {
            try {
                // Records that are queued when the pass ends are neither handled nor committed.
                if (!pass.isDone()) {
                    if (works) {
                        work.on(record.value());
                    }
                    byte @Nullable [] key = pass.options().ordering() == HandlerOrder.KEY ? record.key() : null;
                    pass.deliveredConcurrently(number(record), key, record.value());
                    slot.isDone = true;
                }
            } catch (RuntimeException | Error e) {
                pass.fail(e);
            } finally {
                if (busy.decrementAndGet() == 0) {
                    synchronized (idle) {
                        idle.notifyAll();
                    }
                }
            }
        }

        void awaitIdle() throws InterruptedException {
            synchronized (idle) {
                while (busy.get() > 0) {
                    idle.wait();
                }
            }
        }

        @Override
        public void close() {
            for (ExecutorService worker : workers) {
                worker.close();
            }
        }
    }
}
