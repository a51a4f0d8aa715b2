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
import dev.weir.stream.spi.Thrown;
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
 * A producer that stops at the first rejected record. It writes no later record of the same partition. If other writers
 * use the same client, the client may write such records, but this producer does not count them as finished (ADR 60).
 * {@link #send} and {@link #flush} are confined to one thread. Outcomes are reported on the producer's own thread.
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

    private static final int MAX_PLACES = 5;

    /** The time for the client's thread to end after a stop. The client has nothing left to send. */
    private static final Duration SETTLE = Duration.ofSeconds(2);

    /** The result of a send. */
    enum Sent {
        /** The client accepted the record and will report its outcome. */
        TAKEN,
        /** The client timed out while it waited for memory or metadata; see {@link RecordAnswer#notTaken}. */
        NO_ROOM,
        /** The client rejected this record before it sent later ones; see {@link RecordAnswer#notTaken}. */
        REFUSED,
        STOPPED
    }

    /** The reason for a stop. */
    record Stop(String topic, String place, Exception refusal) {

        /** Returns whether records caused the stop, and not a topic or the client. */
        boolean isOfRecords() {
            return RecordRefusals.weight(refusal) < 2;
        }

        /** Returns whether the client itself failed, without a rejected record. */
        boolean isOfClient() {
            return topic.isEmpty();
        }

        /** Returns whether the client split batches endlessly. */
        boolean isOfSplits() {
            return isOfClient() && !isOfProgress();
        }

        /** Returns whether the client was stuck. */
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

    /** The lowest unwritten token per acknowledgement target. The failure message names these inputs. */
    private final Map<AckTarget, Long> firstBack = new ConcurrentHashMap<>();

    /** Partitions with a rejected record, and topics with a rejected record whose partition is unknown. */
    private final Set<Object> refused = ConcurrentHashMap.newKeySet();

    // Written by the producer's thread, or by the monitoring thread.
    private volatile @Nullable Stop stop;

    private final ClientThread clientThread;

    /** True while the sender waits in {@link #flush}, perhaps only for records of other writers. */
    private volatile boolean awaited;

    /** The thread inside {@link #send}, or null. Confined to the sender's thread, like the next field. */
    private @Nullable Thread sender;

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
     * @param shared whether other writers use the same client, which a rejection then does not close
     * @param written counts the records that the brokers have
     * @param latency counts the time from a record's timestamp to its acknowledgement
     * @param offsets receives the metadata of each written record, on the producer's thread
     * @param maxInFlight maximum number of records in flight; 0 if only the producer's memory limits them
     * @param progress detects a stuck client
     * @param whenSettled called by any thread when the producer has stopped and all outcomes are known, perhaps several
     *     times; must not block
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
            // The client throws after an interrupt, for a record that it cannot serialize, or if it is broken.
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

    Future<?> lastSent() {
        return lastSent;
    }

    /** Waits without a limit until all outcomes are known. */
    void flush() {
        awaited = true;
        try {
            producer.flush();
        } finally {
            awaited = false;
        }
    }

    /**
     * Sends a record immediately, and waits for its outcome. A rejection does not stop the producer.
     *
     * @return the record's metadata, or null if the client was stuck; {@link #awaitSettled} then returns the record
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

    /** Handles an outcome. Called by the producer's thread or, within {@link #send}, by the sender's thread. */
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
            // Count last: other threads expect all returned records once no record is outstanding.
            countAnswer(answer);
        }
    }

    /**
     * Checks the client, and stops it if it splits batches endlessly or is stuck. Must be called by one thread, several
     * times a second.
     *
     * @return the failure that ends the run immediately, or null
     */
    @Nullable
    KafkaPipelineException look(long nowNanos) {
        Found found = health.look(producer, clientThread, counts.answered(), counts.unanswered(), awaited, nowNanos);
        StuckException stuck = found == Found.WELL && (shared || stop == null)
                ? progress.look(counts.oldestNanos(nowNanos), topics, nowNanos)
                : null;
        if (stuck != null) {
            return end(stuck);
        }
        return found == Found.SPLITS ? end(new RecordTooLargeException(ClientHealth.ENDLESS)) : health.failure(found);
    }

    /** Stops a broken client, or returns a failure for the run if other writers use the client. */
    private @Nullable KafkaPipelineException end(Exception why) {
        if (shared) {
            // Return a failure even if a rejected record has stopped this producer. The sender still waits for the
            // outcomes of other records, which a broken client may never report.
            return new KafkaPipelineException(Thrown.reason(why), why);
        }
        if (stop != null) {
            return null;
        }
        stop = new Stop("", "", why);
        ClientClosing.begin(producer); // does not wait, because the client's thread may hang
        if (counts.unanswered() == 0) {
            // The producer's thread may have counted the last outcomes before it could see the stop.
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
            VarHandle.fullFence(); // one of two concurrent threads must see the stop and the last count
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
            // The close runs on the client's own thread, so the client sends nothing more. The broker rejects batches
            // in flight by sequence number.
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

    /** Returns whether all outcomes are known and none is a rejection. */
    boolean isQuiet() {
        return counts.unanswered() == 0 && stop == null;
    }

    long unanswered() {
        return counts.unanswered();
    }

    /** Returns the reason why the producer has stopped, or null. A more precise reason may replace it later. */
    @Nullable
    Stop stop() {
        return stop;
    }

    /** Returns the failure of a run that this stop ends. Must be called only when all outcomes are known. */
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
                Thrown.reason(why.refusal)
                        + (places.isEmpty() ? "" : "; the first inputs without an answer are " + places),
                why.refusal);
    }

    /**
     * Waits until all outcomes are known. Returns the unwritten records in the order in which they were sent.
     *
     * @throws KafkaPipelineException if the client hangs while records are outstanding. These records and later ones
     *     must not be written again
     */
    List<Kept<?, ?, ?>> awaitSettled() {
        if (shared) {
            flush();
        } else {
            var ignored = ClientClosing.close(producer, SETTLE);
            // A client that wraps another one may return from close during a callback.
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
     * @return the number of outstanding and unwritten records
     */
    long close(Duration patience) {
        if (!shared) {
            boolean ignored = ClientClosing.close(producer, patience);
        }
        return counts.unanswered() + unfinished.get();
    }
}
