package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.internal.meters.AgedSendCounts;
import dev.weir.kafka.internal.meters.LatencyCounts;
import dev.weir.kafka.internal.meters.SendCounts;
import dev.weir.kafka.internal.meters.WrittenCount;
import dev.weir.kafka.internal.out.client.ClientClosing;
import dev.weir.kafka.internal.out.client.ClientHealth;
import dev.weir.kafka.internal.out.client.ClientHealth.Found;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.ClientProgress.StuckException;
import dev.weir.kafka.internal.out.client.ClientThread;
import dev.weir.kafka.internal.out.client.RecordRefusals;
import dev.weir.kafka.internal.out.write.RecordAnswer.Kept;
import dev.weir.stream.spi.AckTarget;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A producer that stops at the first rejected record. No later record of the same partition is written. If other
 * writers use the same client, later records may be written, but do not count as finished (ADR 60). {@link #send} and
 * {@link #flush} are confined to one thread. Outcomes are reported on the producer's own thread.
 *
 * <pre>
 *   open     accepts records; each written record acknowledges its input
 *     |      the brokers reject a record: the callback closes the client before the client can send any more
 *   stopped  accepts nothing; records in flight or waiting are returned
 *     |      all outcomes have been reported
 *   settled  {@link #awaitSettled} gives the returned records, in the order in which they were sent
 * </pre>
 */
final class OrderedProducer<K, V> {

    /** The maximum number of inputs that a message names. */
    private static final int MAX_PLACES = 5;

    /**
     * The time to wait for the client's thread to end after a stop. It is short because the client has nothing left to
     * send.
     */
    private static final Duration SETTLE = Duration.ofSeconds(2);

    /** The result of a send. */
    enum Sent {
        /** The client accepted the record and will report its outcome. */
        TAKEN,
        /** The client timed out while waiting for free memory or metadata; see {@link RecordAnswer#notTaken}. */
        NO_ROOM,
        /** The client rejected this record before it sent any later one; see {@link RecordAnswer#notTaken}. */
        REFUSED,
        /** The producer has stopped. */
        STOPPED
    }

    /** The reason for a stop. */
    record Stop(String topic, String place, Exception refusal) {

        /** Returns whether individual records caused the stop. */
        boolean isOfRecords() {
            return RecordRefusals.weight(refusal) < 2;
        }

        /** Returns whether the client itself failed, so that no record was the cause. */
        boolean isOfClient() {
            return topic.isEmpty();
        }

        /** Returns whether the client split batches endlessly. */
        boolean isOfSplits() {
            return isOfClient() && !isOfProgress();
        }

        /** Returns whether records were not acknowledged although the brokers could have acknowledged them. */
        boolean isOfProgress() {
            return refusal instanceof StuckException;
        }
    }

    private final Producer<K, V> producer;

    /** True if other writers use the same client, which must therefore stay open. */
    private final boolean shared;

    private final WrittenCount written;
    private final LatencyCounts latency;
    private final OffsetOrder offsets;
    private final Runnable whenSettled;

    /** Permits for records in flight; null if their number is not limited. */
    private final @Nullable Semaphore room;

    private final AgedSendCounts counts = new AgedSendCounts();
    private final AtomicLong unfinished = new AtomicLong();
    private final Queue<Kept<?, ?, ?>> cameBack = new ConcurrentLinkedQueue<>();

    /**
     * For each acknowledgement target, the lowest token among its unwritten records. The failure message names these
     * first unacknowledged inputs.
     */
    private final Map<AckTarget, Long> firstBack = new ConcurrentHashMap<>();

    /** Partitions with a rejected record, and topics with a rejected record whose partition is unknown. */
    private final Set<Object> refused = ConcurrentHashMap.newKeySet();

    // Written by the producer's thread, or by the thread that finds the client stuck.
    private volatile @Nullable Stop stop;

    private final ClientThread clientThread;

    /**
     * True while the sender waits in {@link #flush}. If other writers use the same client, {@link #flush} also waits
     * for their records. The sender may therefore wait although all records of this producer are complete.
     */
    private volatile boolean awaited;

    /**
     * The thread inside {@link #send}; null if there is none. A rejection reported on this thread concerns the record
     * being sent. Confined to the sender's thread, like the next field.
     */
    private @Nullable Thread sender;

    /** The future of the last record sent. */
    private Future<?> lastSent = CompletableFuture.completedFuture(null);

    // Confined to the monitoring thread
    private final ClientHealth health;
    private final ClientProgress progress;

    private final Set<String> topics = ConcurrentHashMap.newKeySet();

    /** The topic to which the last record was sent. Confined to the sender's thread. */
    private String lastTopic = "";

    /**
     * Wraps a producer.
     *
     * @param shared whether other writers use the same client. A rejection then does not close the client, and records
     *     after the rejected one are written but do not count as finished
     * @param written counts the records that the brokers have
     * @param latency counts the time from a record's timestamp to its acknowledgement
     * @param offsets receives the metadata of each written record, on the producer's thread
     * @param maxInFlight the largest number of records in flight; 0 if only the producer's memory limits them
     * @param progress detects a stuck client
     * @param whenSettled called, possibly several times, once the producer has stopped and all outcomes have been
     *     reported; called by any thread, must not block
     */
    OrderedProducer(
            Producer<K, V> producer,
            boolean shared,
            WrittenCount written,
            LatencyCounts latency,
            OffsetOrder offsets,
            int maxInFlight,
            ClientProgress progress,
            Runnable whenSettled) {
        this.producer = producer;
        this.progress = progress;
        this.clientThread = ClientThread.of(producer);
        this.shared = shared;
        this.health = new ClientHealth(shared);
        this.written = written;
        this.latency = latency;
        this.offsets = offsets;
        this.room = maxInFlight == 0 ? null : new Semaphore(maxInFlight);
        this.whenSettled = whenSettled;
    }

    /** Sends a record. Waits for a permit if the number of records in flight is limited. */
    Sent send(ProducerRecord<K, V> record, RecordAnswer answer) {
        if (stop != null) {
            answer.notTaken = null;
            return Sent.STOPPED;
        }
        awaitRoom();
        sender = Thread.currentThread();
        SendCounts present = counts.present();
        answer.sentBy(this, present);
        present.sends();
        if (!lastTopic.equals(answer.topic)) {
            lastTopic = answer.topic;
            topics.add(lastTopic);
        }
        try {
            lastSent = producer.send(record, answer);
        } catch (RuntimeException thrown) {
            // The client throws, and does not call the callback, if the thread was interrupted, the record cannot be
            // serialized, or the producer is broken.
            countNotTaken(answer);
            if (thrown instanceof InterruptException) {
                throw thrown;
            }
            answer.notTaken = thrown;
        } finally {
            sender = null;
        }
        Exception notTaken = answer.notTaken;
        if (notTaken == null) {
            return Sent.TAKEN;
        }
        if (stop != null) {
            answer.notTaken = null;
            return Sent.STOPPED;
        }
        if (notTaken instanceof TimeoutException vain) {
            answer.notTaken = RecordRefusals.ofVainWait(vain);
            return Sent.NO_ROOM;
        }
        return Sent.REFUSED;
    }

    private void awaitRoom() {
        if (room != null) {
            try {
                room.acquire();
            } catch (InterruptedException interrupted) {
                throw new InterruptException(interrupted);
            }
        }
    }

    /** Returns the future of the last accepted record. It completes when the record's outcome has been processed. */
    Future<?> lastSent() {
        return lastSent;
    }

    /** Waits without a time limit until all outcomes have been reported. */
    void flush() {
        awaited = true;
        try {
            producer.flush();
        } finally {
            awaited = false;
        }
    }

    /**
     * Sends a record without lingering and waits for its outcome. A rejection does not stop the producer.
     *
     * @return the record's metadata; null if the producer was stopped because its client was stuck, in which case
     *     {@link #awaitSettled} returns the record
     */
    @Nullable
    RecordMetadata sendAlone(Kept<?, K, V> alone) throws ExecutionException, InterruptedException {
        SendCounts present = counts.present();
        present.sends();
        topics.add(alone.topic);
        Future<RecordMetadata> answer;
        try {
            answer = producer.send(alone.record, (metadata, refusal) -> {
                clientThread.heard();
                present.answers();
            });
        } catch (RuntimeException | Error thrown) {
            present.sendsNot();
            throw thrown;
        }
        flush();
        try {
            return answer.get();
        } catch (ExecutionException refused) {
            Stop why = stop;
            if (why == null) {
                throw refused;
            }
            if (why.isOfSplits()) {
                throw new ExecutionException(why.refusal);
            }
            giveBack(alone, null, null);
            return null;
        }
    }

    /** Processes an outcome. Called by the producer's thread or, within {@link #send}, by the sender's. */
    void answered(RecordAnswer answer, @Nullable RecordMetadata metadata, @Nullable Exception refusal) {
        clientThread.heard();
        if (refusal != null && Thread.currentThread() == sender) {
            answer.notTaken = refusal;
            countNotTaken(answer);
            return;
        }
        try {
            if (refusal != null) {
                stopAt(answer, metadata, refusal);
                giveBack(answer, metadata, refusal);
            } else if (stop != null && isBehindRefused(answer, metadata)) {
                giveBack(answer, metadata, null);
            } else {
                answer.written(metadata);
                written.increment();
                if (answer.timestampMillis != RecordAnswer.NO_TIMESTAMP) {
                    latency.add(System.currentTimeMillis() - answer.timestampMillis);
                }
                offsets.answered(metadata);
            }
        } finally {
            // Count last: once no record is outstanding, other threads expect to find all returned records.
            countAnswer(answer);
        }
    }

    /**
     * Checks whether the client still works, and stops it if it splits batches endlessly or is stuck. Must be called by
     * one thread, several times a second.
     *
     * @return the failure that ends the run immediately, because the missing outcomes will never be reported; otherwise
     *     null
     */
    @Nullable
    KafkaPipelineException look(long nowNanos) {
        Found found = health.look(producer, clientThread, counts.answered(), counts.unanswered(), awaited, nowNanos);
        StuckException stuck = found == Found.WELL && stop == null
                ? progress.look(counts.oldestNanos(nowNanos), topics, nowNanos)
                : null;
        if (stuck != null) {
            return end(stuck);
        }
        return found == Found.SPLITS ? end(new RecordTooLargeException(ClientHealth.ENDLESS)) : health.failure(found);
    }

    /**
     * Stops the client for a reason other than a rejected record. If other writers use the same client, leaves it open
     * and returns an exception that fails the run.
     */
    private @Nullable KafkaPipelineException end(Exception why) {
        if (stop != null) {
            return null;
        }
        if (shared) {
            return new KafkaPipelineException(String.valueOf(why.getMessage()), why);
        }
        stop = new Stop("", "", why);
        ClientClosing.begin(producer); // does not wait, because the client's thread may hang
        if (counts.unanswered() == 0) {
            // The producer's thread may have counted the last outcomes before it could see the stop. It then did not
            // make this call.
            whenSettled.run();
        }
        return null;
    }

    /** Called by the producer's thread. */
    private void countAnswer(RecordAnswer answer) {
        answer.counts().answers();
        leaveRoom();
    }

    /** Called by the sender's thread. */
    private void countNotTaken(RecordAnswer answer) {
        answer.counts().sendsNot();
        leaveRoom();
    }

    private void leaveRoom() {
        if (room != null) {
            room.release();
        }
        if (stop != null) {
            VarHandle.fullFence(); // of two concurrent threads, at least one must see the stop and the last count
            if (counts.unanswered() == 0) {
                whenSettled.run();
            }
        }
    }

    private void stopAt(RecordAnswer answer, @Nullable RecordMetadata metadata, Exception refusal) {
        int partition = partitionOf(metadata);
        refused.add(partition < 0 ? answer.topic : new TopicPartition(answer.topic, partition));
        Stop before = stop;
        if (before != null && before.isOfClient()) {
            return; // keep the reason of the earlier stop
        }
        if (before == null || RecordRefusals.weight(refusal) > RecordRefusals.weight(before.refusal)) {
            stop = new Stop(answer.topic, answer.place(), refusal);
        }
        if (before == null && !shared) {
            // This callback runs on the client's own thread, so the client sends nothing after this call. The broker
            // rejects batches that are in flight behind the rejected one, because their sequence numbers are too high.
            producer.close(Duration.ZERO);
        }
    }

    private boolean isBehindRefused(RecordAnswer answer, @Nullable RecordMetadata metadata) {
        if (refused.contains(answer.topic)) {
            return true;
        }
        int partition = partitionOf(metadata);
        if (partition >= 0) {
            return refused.contains(new TopicPartition(answer.topic, partition));
        }
        return refused.stream()
                .anyMatch(at -> at instanceof TopicPartition of && of.topic().equals(answer.topic));
    }

    private static int partitionOf(@Nullable RecordMetadata metadata) {
        return metadata == null ? RecordMetadata.UNKNOWN_PARTITION : metadata.partition();
    }

    private void giveBack(RecordAnswer answer, @Nullable RecordMetadata metadata, @Nullable Exception refusal) {
        unfinished.incrementAndGet();
        firstBack.merge(answer.target, answer.token, Math::min);
        if (answer instanceof Kept<?, ?, ?> kept) {
            kept.cameBack(partitionOf(metadata), refusal);
            cameBack.add(kept);
        }
    }

    /** Returns whether there is nothing to wait for: all outcomes have been reported and none is a rejection. */
    boolean isQuiet() {
        return counts.unanswered() == 0 && stop == null;
    }

    long unanswered() {
        return counts.unanswered();
    }

    /**
     * The reason why the producer has stopped; null if it has not. The producer's thread may replace it with a more
     * precise one later.
     */
    @Nullable
    Stop stop() {
        return stop;
    }

    /**
     * Returns the failure of a run that ends because of this stop. Must be called only once all outcomes have been
     * reported.
     */
    KafkaPipelineException failure() {
        Stop why = Objects.requireNonNull(stop, "it has not stopped");
        if (!why.isOfClient()) {
            return new ProduceException(why.topic, why.place, why.refusal);
        }
        String places = firstBack.entrySet().stream()
                .map(first -> first.getKey().placeOf(first.getValue()))
                .filter(place -> !place.isEmpty())
                .sorted()
                .limit(MAX_PLACES)
                .collect(Collectors.joining(", "));
        return new KafkaPipelineException(
                why.refusal.getMessage()
                        + (places.isEmpty() ? "" : "; the first inputs without an answer are " + places),
                why.refusal);
    }

    /**
     * Waits until all outcomes have been reported, and returns the unwritten records in the order in which they were
     * sent.
     *
     * @throws KafkaPipelineException if the client hangs while records are outstanding. In that case, neither these
     *     records nor later ones may be written again
     */
    List<Kept<?, ?, ?>> awaitSettled() {
        if (shared) {
            flush();
        } else {
            var ignored = ClientClosing.close(producer, SETTLE);
            // If the client wraps another one, its close may return while a callback is still running.
            if (counts.unanswered() > 0) {
                throw ClientHealth.hangs(ClientThread.of(producer));
            }
        }
        List<Kept<?, ?, ?>> all = new ArrayList<>(cameBack);
        all.sort(Comparator.comparingLong(kept -> kept.ordinal));
        return all;
    }

    /**
     * Closes the producer, unless other writers use the same client. No record may be sent afterwards.
     *
     * @return the number of records that are outstanding or were not written
     */
    long close(Duration patience) {
        if (!shared) {
            boolean ignored = ClientClosing.close(producer, patience);
        }
        return counts.unanswered() + unfinished.get();
    }
}
