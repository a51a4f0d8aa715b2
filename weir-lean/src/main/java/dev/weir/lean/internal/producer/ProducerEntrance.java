package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanException;
import dev.weir.lean.LeanProducerMetrics;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.SendListener;
import dev.weir.lean.UnwrittenRecords;
import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.wire.FailureText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The callers' part of a producer. Appends records to batches, and waits for the producer's thread. Thread-safe. */
public final class ProducerEntrance {

    /** The interval at which metadata are requested again while a caller waits for an unknown partition. */
    private static final long LOOK_AGAIN_NANOS = 100_000_000;

    /** Time that {@link #close} waits for the thread after the caller's timeout. The listener may be slow. */
    private static final long END_SECONDS = 30;

    private final LeanProducerSettings settings;
    private final ProducerCounters counters = new ProducerCounters();
    private final ProducerProgress changes = new ProducerProgress();
    private final ProducerBatchPool pool;
    private final ProducerTopics topics;
    private final ProducerEngine engine;
    private final RecordAppender appender;
    private final Thread thread;
    private final long maxBlockNanos;
    private volatile boolean closed;

    /** Starts the producer's thread. {@link #close} stops it. */
    public ProducerEntrance(LeanProducerSettings settings, SendListener listener) {
        this.settings = settings;
        this.maxBlockNanos = settings.maxBlock().toNanos();
        this.pool = new ProducerBatchPool(settings.bufferBytes(), settings.batchBytes(), this::pressed);
        this.topics = new ProducerTopics(this::noMore);
        this.engine = new ProducerEngine(settings, listener, topics, pool, changes, counters);
        this.appender = new RecordAppender(pool, settings.maxRequestBytes(), engine::nanoTime, engine::wake);
        // ClientThread in weir-kafka finds the thread by this name, to detect its death.
        this.thread = Thread.ofPlatform().daemon().name("weir-lean-producer").unstarted(engine);
        try {
            thread.start();
        } catch (Throwable e) { // Thrown, for example, if there is not enough memory for another thread.
            engine.end();
            engine.run(); // Only closes the engine.
            throw e;
        }
    }

    /** Sends a record. If the record cannot be accepted immediately, blocks for up to {@code maxBlock}. */
    public void send(String topicName, int number, long timestampMillis, RecordBytes record, long token)
            throws InterruptedException {
        checkThread("send");
        ProducerTopic topic = topics.of(topicName);
        // Read the clock only for an unknown partition: it costs as much as adding a record.
        long left = isKnown(topic, number) ? maxBlockNanos : awaitKnown(topic, number);
        if (!offer(topic, number, timestampMillis, record, token, left)) {
            String message = "no room for a record to " + topicName + " within maxBlock=" + settings.maxBlock()
                    + ": batches that are not acknowledged fill bufferBytes=" + settings.bufferBytes()
                    + "; is a broker down?";
            throw new LeanException(message, new BufferExhaustedException(message));
        }
    }

    /** Waits until the partition is known. Returns the time left of {@code maxBlock}. */
    private long awaitKnown(ProducerTopic topic, int number) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + maxBlockNanos;
        long left = maxBlockNanos;
        while (!isKnown(topic, number)) {
            lookFor(topic);
            left = deadlineNanos - System.nanoTime();
            if (!changes.await(() -> isKnown(topic, number), Math.min(left, LOOK_AGAIN_NANOS))
                    && left <= LOOK_AGAIN_NANOS) {
                throw notFound(topic, number);
            }
        }
        return Math.max(0, left);
    }

    /** Sends a record unless the caller would have to wait. Returns whether the record was accepted. */
    public boolean trySend(String topicName, int number, long timestampMillis, RecordBytes record, long token) {
        ProducerTopic topic = topics.of(topicName);
        if (!isKnown(topic, number)) {
            lookFor(topic);
            return false;
        }
        try {
            return offer(topic, number, timestampMillis, record, token, 0);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing was waited for", e);
        }
    }

    /** Sends prepared records until one would wait. Returns the index of the first record not accepted. */
    public int trySend(PreparedRecords records, int from, int to, long token) {
        int at = from;
        while (at < to) {
            int next = appendSome(records, at, to, token);
            if (next == at) {
                if (!trySend(
                        records.topic(at),
                        records.partition(at),
                        records.timestampMillis(at),
                        records.bytes(at),
                        token)) {
                    return at;
                }
                next = at + 1;
            }
            at = next;
        }
        return at;
    }

    /**
     * Appends records to the current batch of the first record's partition, up to the first record that does not fit or
     * has another partition. Returns the index of that record. Appends nothing if the partition is unspecified or
     * unknown, or if the producer refuses the record.
     */
    private int appendSome(PreparedRecords records, int from, int to, long token) {
        int number = records.partition(from);
        ProducerTopic topic = topics.of(records.topic(from));
        if (number == RecordAppender.ANY_PARTITION
                || !topic.has(number)
                || topic.refusal() != null
                || closed
                || engine.failure() != null) {
            return from;
        }
        return topic.partitions()[number].intake.append(records, from, to, token, appender.maxRecordBytes());
    }

    private boolean isKnown(ProducerTopic topic, int number) {
        return topic.has(number) || topic.refusal() != null || closed || engine.failure() != null;
    }

    /** Requests metadata for a topic that is unknown, or lacks the wanted partition. */
    private void lookFor(ProducerTopic topic) {
        if (topic.partitions().length > 0) {
            topics.miss();
        }
        engine.wake();
    }

    private LeanException notFound(ProducerTopic topic, int number) {
        int count = topic.partitions().length;
        String within = " within maxBlock=" + settings.maxBlock();
        return waitedInVain(
                count == 0
                        ? "topic " + topic.name + " was not found" + within
                                + "; create it, check its name and that a broker can be reached"
                        : "partition " + number + " of topic " + topic.name + ", which has " + count + ", was not found"
                                + within + "; add partitions, or check the number",
                topic.absence());
    }

    private static LeanException waitedInVain(String message, @Nullable Throwable why) {
        return new LeanException(message, new TimeoutException(message, why));
    }

    /** Wraps a failure from the producer's thread, so that it can be thrown on the caller's thread. */
    private static LeanException again(LeanException fault) {
        return new LeanException(FailureText.of(fault), fault);
    }

    private RuntimeException noMore() {
        LeanException failure = engine.failure();
        return failure == null ? new IllegalStateException("the producer is closed") : again(failure);
    }

    /** Appends a record. Returns false if there was not enough space before the timeout expired. */
    private boolean offer(
            ProducerTopic topic, int number, long timestampMillis, RecordBytes record, long token, long waitNanos)
            throws InterruptedException {
        if (closed || engine.failure() != null) {
            throw noMore();
        }
        LeanException refusal = topic.refusal();
        if (refusal != null) {
            engine.wake();
            throw again(refusal);
        }
        if (!topic.has(number)) {
            throw notFound(topic, number);
        }
        boolean taken = appender.append(topic, number, record, timestampMillis, token, waitNanos);
        if (!taken && (closed || engine.failure() != null)) {
            throw noMore();
        }
        return taken;
    }

    /** Wakes the producer's thread if a caller got no batch. The thread then sends even batches that are not full. */
    private void pressed() {
        if (!engine.isHeld()) {
            engine.wake();
        }
    }

    /** Sends all accepted records and waits for their outcomes. Returns the numbers of records without an outcome. */
    public UnwrittenRecords flush(long nanos) throws InterruptedException {
        checkThread("flush");
        List<Goal> goals = goals();
        engine.wake();
        changes.await(() -> engine.hasEnded() || goals.stream().allMatch(Goal::isReached), nanos);
        LeanException failure = engine.failure();
        if (failure != null) {
            throw again(failure);
        }
        Map<TopicPartition, Long> left = new HashMap<>();
        for (Goal goal : goals) {
            if (!goal.isReached()) {
                left.put(goal.partition(), goal.left());
            }
        }
        return new UnwrittenRecords(left);
    }

    private List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (ProducerTopic topic : topics.all()) {
            for (ProducerPartition partition : topic.partitions()) {
                goals.add(new Goal(partition, partition.intake.seal()));
            }
        }
        return goals;
    }

    /** The number of a partition's records whose outcome a flush or close waits for. */
    private record Goal(ProducerPartition of, long count) {

        boolean isReached() {
            return of.finished.get() >= count;
        }

        long left() {
            return count - of.finished.get();
        }

        TopicPartition partition() {
            return new TopicPartition(of.topic.name, of.number);
        }
    }

    /**
     * Stops the producer without waiting. The producer's thread reports all records without an outcome as failed. May
     * be called from any thread, including from the listener.
     */
    public void abort() {
        closed = true;
        topics.close();
        engine.end();
        changes.tell();
    }

    /**
     * Stops accepting records, and waits for the outcomes of all accepted records. Records without one at the timeout
     * fail. Later calls return the result of the first call.
     */
    public UnwrittenRecords close(long nanos) {
        checkThread("close");
        closed = true;
        topics.close();
        changes.tell();
        boolean interrupted = false;
        try {
            List<Goal> goals = goals();
            engine.wake();
            changes.await(() -> engine.hasEnded() || goals.stream().allMatch(Goal::isReached), nanos);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        engine.end();
        interrupted |= awaitEnd();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        UnwrittenRecords abandoned = engine.abandoned();
        if (abandoned == null) {
            LeanException failure = engine.failure();
            throw failure != null
                    ? again(failure)
                    : new LeanException(
                            "the producer's thread did not end within " + END_SECONDS + " s; does its listener wait?",
                            null);
        }
        return abandoned;
    }

    /** Waits up to {@link #END_SECONDS} for the producer's thread. Returns whether the caller was interrupted. */
    private boolean awaitEnd() {
        boolean interrupted = false;
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        while (thread.isAlive() && deadlineNanos - System.nanoTime() > 0) {
            try {
                thread.join(Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    private void checkThread(String what) {
        if (Thread.currentThread() == thread) {
            throw new IllegalStateException(
                    what
                            + " waits for the producer's thread, and was called on it: from a listener only trySend is possible");
        }
    }

    public LeanProducerMetrics metrics() {
        return LeanProducerMetrics.builder()
                .acknowledged(counters.get(ProducerCounters.ACKNOWLEDGED))
                .failed(counters.get(ProducerCounters.FAILED))
                .requests(counters.get(ProducerCounters.REQUESTS))
                .resentBatches(counters.get(ProducerCounters.RESENT))
                .dividedBatches(counters.get(ProducerCounters.DIVIDED))
                .newEpochs(counters.get(ProducerCounters.EPOCHS))
                .throttledMillis(counters.get(ProducerCounters.THROTTLED_MILLIS))
                .sentBatches(counters.get(ProducerCounters.BATCHES))
                .queuedNanos(counters.get(ProducerCounters.QUEUED_NANOS))
                .answeredRequests(counters.get(ProducerCounters.ANSWERS))
                .answerNanos(counters.get(ProducerCounters.ANSWER_NANOS))
                .freeBytes(pool.freeBytes())
                .build();
    }
}
