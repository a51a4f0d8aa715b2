package dev.weir.testkit.internal.simulation;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.testkit.RebalanceSimulation.Event;
import dev.weir.testkit.RebalanceSimulation.Order;
import dev.weir.testkit.internal.simulation.Draw.Of;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * The topics that pipelines write to, with the records in flight and the written records. Thread-safe: pipeline threads
 * send records, and the simulation's thread acknowledges them.
 */
final class Outputs {

    static final int PARTITIONS = 3;

    private static final String HEADER = "weir-simulation-source";
    private static final int MAX_BATCH = 10;
    private static final long MAX_LATENCY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int REFUSED_ONE_IN = 25;

    /** A record in flight, with its source record. */
    private static final class Sent {
        final @Nullable Source source;
        final Content content;
        final CompletableFuture<RecordMetadata> answer = new CompletableFuture<>();
        final @Nullable Callback callback;

        Sent(@Nullable Source source, Content content, @Nullable Callback callback) {
            this.source = source;
            this.content = content;
            this.callback = callback;
        }
    }

    /** Records that are acknowledged together. */
    private static final class Batch {
        final SimulatedProducer<?, ?> owner;
        final TopicPartition to;
        final int number;
        final long dueNanos;
        final List<Sent> records = new ArrayList<>();

        /** The thread that runs the callbacks; null if none has begun. */
        @Nullable
        Thread answeredBy;

        Batch(SimulatedProducer<?, ?> owner, TopicPartition to, int number, long dueNanos) {
            this.owner = owner;
            this.to = to;
            this.number = number;
            this.dueNanos = dueNanos;
        }
    }

    private record Source(TopicPartition id, long offset, int assignment) {}

    /** The serialized key and value of an output, and its headers. */
    private record Content(
            @Nullable ByteBuffer key, @Nullable ByteBuffer value, List<Header> headers) {

        static Content of(ProducerRecord<?, ?> record, byte @Nullable [] key, byte @Nullable [] value) {
            return new Content(wrap(key), wrap(value), List.of(record.headers().toArray()));
        }

        private static @Nullable ByteBuffer wrap(byte @Nullable [] bytes) {
            return bytes == null ? null : ByteBuffer.wrap(bytes);
        }
    }

    /** Identifies an output. Its marking header names the source record and the assignment. */
    private record Output(TopicPartition to, Content content) {}

    /** Identifies records that must be in order within an output partition. */
    private record Route(
            TopicPartition to,
            TopicPartition from,
            @Nullable Object key) {}

    private final World world;
    private final Scenario scenario;
    private final Draw draw;
    private final Clock clock;
    private final History history;
    private final Ledger ledger;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();

    // Guarded by the lock.
    private final List<Batch> underWay = new ArrayList<>();

    /** The offsets of source records in the order of their outputs. Of several writes, the last one counts. */
    private final Map<Route, LinkedHashSet<Long>> written = new HashMap<>();

    private final Set<Output> acknowledged = new HashSet<>();
    private final Map<TopicPartition, Long> ends = new HashMap<>();
    private int batches;
    private boolean refused;

    Outputs(World world, Scenario scenario, Draw draw, Clock clock, History history, Ledger ledger) {
        this.world = world;
        this.scenario = scenario;
        this.draw = draw;
        this.clock = clock;
        this.history = history;
        this.ledger = ledger;
    }

    /** Adds a header that identifies an output record's source record. */
    static <K, V> ProducerRecord<K, V> mark(ConsumerRecord<?, ?> source, ProducerRecord<K, V> output) {
        byte[] topic = source.topic().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * 2 + Long.BYTES + topic.length)
                .putInt(source.partition())
                .putInt(Ledger.assignmentOf(source))
                .putLong(source.offset())
                .put(topic);
        output.headers().remove(HEADER).add(HEADER, bytes.array());
        return output;
    }

    private static @Nullable Source sourceOf(ProducerRecord<?, ?> record) {
        Header header = record.headers().lastHeader(HEADER);
        if (header == null) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(header.value());
        int partition = bytes.getInt();
        int assignment = bytes.getInt();
        long offset = bytes.getLong();
        byte[] topic = new byte[bytes.remaining()];
        bytes.get(topic);
        return new Source(
                new TopicPartition(new String(topic, java.nio.charset.StandardCharsets.UTF_8), partition),
                offset,
                assignment);
    }

    // ---- Threads of the pipeline
    // -------------------------------------------------------------------------------------

    CompletableFuture<RecordMetadata> send(
            SimulatedProducer<?, ?> owner,
            TopicPartition to,
            ProducerRecord<?, ?> record,
            byte @Nullable [] key,
            byte @Nullable [] value,
            @Nullable Callback callback) {
        Sent sent = new Sent(sourceOf(record), Content.of(record, key, value), callback);
        lock.lock();
        try {
            Batch open = underWay.stream()
                    .filter(batch -> batch.answeredBy == null
                            && batch.owner == owner
                            && batch.to.equals(to)
                            && batch.dueNanos > clock.nanoTime())
                    .reduce((first, second) -> second)
                    .filter(batch -> batch.records.size() < 1 + draw.below(MAX_BATCH, Of.OUTPUT, batch.number, 1))
                    .orElse(null);
            if (open == null) {
                int number = batches++;
                long after = underWay.stream()
                        .filter(batch -> batch.owner == owner && batch.to.equals(to))
                        .mapToLong(batch -> batch.dueNanos)
                        .max()
                        .orElse(clock.nanoTime());
                open = new Batch(owner, to, number, after + 1 + draw.below(MAX_LATENCY_NANOS, Of.OUTPUT, number));
                underWay.add(open);
            }
            open.records.add(sent);
            return sent.answer;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all records that a producer has sent are acknowledged, and their callbacks have returned. */
    void flush(SimulatedProducer<?, ?> owner) throws InterruptedException {
        lock.lock();
        try {
            while (underWay.stream()
                    .anyMatch(batch -> batch.owner == owner && batch.answeredBy != Thread.currentThread())) {
                clock.await(lock, answered, Stage.NEVER);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reports that a producer was closed, and waits until its running callbacks have returned. May be called from any
     * thread; a callback does not wait for itself.
     *
     * @param waits true if records in flight are acknowledged; false if they fail, in which case some of them may still
     *     have been written
     */
    void close(SimulatedProducer<?, ?> owner, boolean waits) throws InterruptedException {
        // All batches at once: another thread may close the producer as well, and must find none of them.
        for (Batch batch : take(batch -> batch.owner == owner, Integer.MAX_VALUE)) {
            if (waits) {
                answer(batch);
            } else {
                answer(batch, new KafkaException("the producer is closed"), draw.oneIn(2, Of.OUTPUT, batch.number, 2));
            }
        }
        flush(owner);
    }

    /** Returns at most {@code most} matching batches that no thread answers yet, for this thread to answer. */
    private List<Batch> take(Predicate<Batch> condition, int most) {
        lock.lock();
        try {
            List<Batch> taken = underWay.stream()
                    .filter(batch -> batch.answeredBy == null && condition.test(batch))
                    .limit(most)
                    .toList();
            taken.forEach(batch -> batch.answeredBy = Thread.currentThread());
            return taken;
        } finally {
            lock.unlock();
        }
    }

    // ---- The simulation --------------------------------------------------------------------------------------------

    long nextDueNanos() {
        lock.lock();
        try {
            return underWay.stream()
                    .filter(batch -> batch.answeredBy == null)
                    .mapToLong(batch -> batch.dueNanos)
                    .min()
                    .orElse(Long.MAX_VALUE);
        } finally {
            lock.unlock();
        }
    }

    /** Acknowledges the next batch if it is due. */
    void answerNext() {
        take(batch -> batch.dueNanos <= clock.nanoTime(), 1).forEach(this::answer);
    }

    private void answer(Batch batch) {
        boolean refuse = scenario.has(Event.REFUSED_BATCH)
                && !world.isCalm()
                && draw.oneIn(REFUSED_ONE_IN, Of.OUTPUT, batch.number, 3);
        answer(batch, refuse ? new UnknownServerException("the broker refuses this batch") : null, !refuse);
    }

    private void answer(Batch batch, @Nullable KafkaException refusal, boolean arrives) {
        long first;
        lock.lock();
        try {
            first = ends.getOrDefault(batch.to, 0L);
            if (arrives) {
                batch.records.forEach(sent -> write(batch.to, sent, refusal == null));
                ends.put(batch.to, first + batch.records.size());
            }
            refused |= refusal != null;
        } finally {
            lock.unlock();
        }
        history.pipeline((refusal != null ? "refused      " : "written      ") + batch.to + " " + sources(batch)
                + (refusal != null && arrives ? ", though it is written" : ""));
        for (int i = 0; i < batch.records.size(); i++) {
            Sent sent = batch.records.get(i);
            RecordMetadata metadata = new RecordMetadata(batch.to, first, i, ConsumerRecord.NO_TIMESTAMP, -1, -1);
            // The callback and the future's dependents may run user code, so call them outside the lock.
            if (sent.callback != null) {
                sent.callback.onCompletion(metadata, refusal);
            }
            if (refusal == null) {
                sent.answer.complete(metadata);
            } else {
                sent.answer.completeExceptionally(refusal);
            }
        }
        lock.lock();
        try {
            underWay.remove(batch);
            answered.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static String sources(Batch batch) {
        return batch.records.stream()
                .map(sent -> sent.source == null ? "?" : sent.source.id + "@" + sent.source.offset)
                .toList()
                .toString();
    }

    /**
     * Registers that an output of a source record was written. The order check ignores it if the source partition was
     * reassigned since the read, or another member has handled its records.
     *
     * @param confirmed true if the pipeline learns that the output is written, and so must not write it again
     */
    private void write(TopicPartition to, Sent sent, boolean confirmed) {
        Source source = sent.source;
        if (source == null) {
            return;
        }
        Output output = new Output(to, sent.content);
        if (acknowledged.contains(output)) {
            ledger.violate("an output of " + source.id + "@" + source.offset + " is written to " + to
                    + " again in the same assignment, though it was acknowledged");
        } else if (confirmed) {
            acknowledged.add(output);
        }
        PartitionLog from = world.log(source.id);
        ledger.written(source.id, source.offset);
        if (from.assignment == source.assignment && !from.doneElsewhereSince) {
            write(to, from, source.offset);
        }
    }

    private void write(TopicPartition to, PartitionLog from, long offset) {
        LinkedHashSet<Long> offsets =
                written.computeIfAbsent(new Route(to, from.id, keyOf(from, offset)), route -> new LinkedHashSet<>());
        offsets.remove(offset);
        offsets.add(offset);
    }

    private @Nullable Object keyOf(PartitionLog from, long offset) {
        ConsumerRecord<byte[], byte[]> record = from.at(offset);
        if (scenario.order() != Order.KEY || record == null) {
            return null;
        }
        return record.key() == null ? Long.valueOf(offset) : ByteBuffer.wrap(record.key());
    }

    /** Reports that the process is gone. Each batch in flight may or may not be written, and is never acknowledged. */
    void crashed() {
        lock.lock();
        try {
            for (Batch batch : underWay) {
                if (batch.answeredBy == null && draw.oneIn(2, Of.OUTPUT, batch.number, 2)) {
                    batch.records.forEach(sent -> write(batch.to, sent, false));
                }
            }
            underWay.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a record was rejected since the last call. The run may then fail. */
    boolean takeRefused() {
        lock.lock();
        try {
            boolean was = refused;
            refused = false;
            return was;
        } finally {
            lock.unlock();
        }
    }

    /** Reports that another member has written the outputs of this record. */
    void writtenElsewhere(PartitionLog from, long offset) {
        lock.lock();
        try {
            for (Route route : List.copyOf(written.keySet())) {
                if (route.from.equals(from.id) && java.util.Objects.equals(route.key, keyOf(from, offset))) {
                    write(route.to, from, offset);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Describes the records that are out of order in the output topics; null if they are in order. */
    @Nullable
    String disorder() {
        if (scenario.order() == Order.NONE) {
            return null;
        }
        lock.lock();
        try {
            for (Map.Entry<Route, LinkedHashSet<Long>> route : written.entrySet()) {
                long before = -1;
                for (long offset : route.getValue()) {
                    if (offset < before) {
                        return route.getKey().from + "@" + offset + " is behind " + before
                                + (scenario.order() == Order.KEY ? " of the same key" : "") + " in "
                                + route.getKey().to + " for good: a reader that keeps the last value keeps an old one";
                    }
                    before = offset;
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }
}
