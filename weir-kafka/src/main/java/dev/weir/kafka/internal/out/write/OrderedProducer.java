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
 * A producer that stops at the first refused record: nothing is written after that record in its partition, and nothing
 * there counts as finished (ADR 60). {@link #send} and {@link #flush} belong to one thread; answers come on the
 * producer's own.
 *
 * <pre>
 *   open     accepts records; each answer acknowledges its input
 *     |      the brokers refuse a record: the client is closed from within that answer, before it can send any more
 *   stopped  accepts nothing; records in flight or waiting are returned
 *     |      all answers have arrived
 *   settled  {@link #awaitSettled} gives the returned records, in the order in which they were sent
 * </pre>
 */
final class OrderedProducer<K, V> {

    /** Number of partitions that a message names. */
    private static final int MAX_PLACES = 5;

    /** The wait for the client's thread when it has nothing more to do. */
    private static final Duration SETTLE = Duration.ofSeconds(2);

    /** The outcome of a send. */
    enum Sent {
        /** The record was accepted; its answer will come. */
        TAKEN,
        /** The client gave up waiting for space or metadata; see {@link RecordAnswer#notTaken}. */
        NO_ROOM,
        /** The client refuses this record, after which nothing was sent; see {@link RecordAnswer#notTaken}. */
        REFUSED,
        /** The producer has stopped. */
        STOPPED
    }

    /** The reason for the stop. */
    record Stop(String topic, String place, Exception refusal) {

        /** Returns whether single records caused the stop. */
        boolean isOfRecords() {
            return RecordRefusals.weight(refusal) < 2;
        }

        /** Returns whether the client itself failed, without naming a record. */
        boolean isOfClient() {
            return topic.isEmpty();
        }

        /** Returns whether the client split batches endlessly. */
        boolean isOfSplits() {
            return isOfClient() && !isOfProgress();
        }

        /** Returns whether the client got no answer although the brokers could have given one. */
        boolean isOfProgress() {
            return refusal instanceof StuckException;
        }
    }

    private final Producer<K, V> producer;

    /** True if others use the client, so that it must stay open. */
    private final boolean shared;

    private final WrittenCount written;
    private final LatencyCounts latency;
    private final OffsetOrder offsets;
    private final Runnable whenSettled;

    /** Permits for records in flight; null without such a limit. */
    private final @Nullable Semaphore room;

    private final AgedSendCounts counts = new AgedSendCounts();
    private final AtomicLong unfinished = new AtomicLong();
    private final Queue<Kept<?, ?, ?>> cameBack = new ConcurrentLinkedQueue<>();

    /** First record without an answer, by source. */
    private final Map<AckTarget, Long> firstBack = new ConcurrentHashMap<>();

    /** Partitions with a refused record, and topics with a refused record whose partition is not known. */
    private final Set<Object> refused = ConcurrentHashMap.newKeySet();

    // Written by the producer's thread, or by the thread that finds it stuck.
    private volatile @Nullable Stop stop;

    private final ClientThread clientThread;

    /** True while the sender waits for the client, even for records that are not counted here. */
    private volatile boolean awaited;

    /**
     * The record inside {@link #send}: a refusal that arrives meanwhile is its own. Sender's thread, as the next field.
     */
    private @Nullable Thread sender;

    /** The answer to the last record sent. */
    private Future<?> lastSent = CompletableFuture.completedFuture(null);

    // Confined to the watching thread.
    private final ClientHealth health;
    private final ClientProgress progress;

    /** The topics that records were sent to. */
    private final Set<String> topics = ConcurrentHashMap.newKeySet();

    /** The last of these topics. Sender's thread. */
    private String lastTopic = "";

    /**
     * Wraps a producer, or a part in a shared one.
     *
     * @param shared whether others use it: a refusal then does not close it, and records after a refused one are
     *     written, but do not count as finished
     * @param written counts records that the brokers have
     * @param latency counts the time to each answer of a record with a timestamp
     * @param offsets receives each answer, on the producer's thread
     * @param maxInFlight limit for records in flight; 0 if only the producer's memory limits them
     * @param progress detects a stuck client
     * @param whenSettled called, perhaps repeatedly, once it has stopped and all answers have arrived; any thread, must
     *     not block
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

    /** Sends a record, or returns why not; waits for a permit if the number in flight is limited. */
    Sent send(ProducerRecord<K, V> record, RecordAnswer answer) {
        if (stop != null) {
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
            // Thrown instead of called back: interrupted, not serializable, or a broken producer.
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

    /** Completes when the answer to the last accepted record has been handled. */
    Future<?> lastSent() {
        return lastSent;
    }

    /** Returns when all answers have arrived, however long brokers are down. */
    void flush() {
        awaited = true;
        try {
            producer.flush();
        } finally {
            awaited = false;
        }
    }

    /** Sends a record without lingering and waits for its answer, which is not counted and stops nothing. */
    RecordMetadata sendAlone(ProducerRecord<K, V> record) throws ExecutionException, InterruptedException {
        Future<RecordMetadata> answer = producer.send(record, (metadata, refusal) -> clientThread.heard());
        flush();
        return answer.get();
    }

    /** The producer's thread, or within {@link #send} the sender's. */
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
            // Last, so that all returned records are known once none is unanswered.
            countAnswer(answer);
        }
    }

    /**
     * Checks whether the client still works, and stops it if it splits batches endlessly or is stuck. One thread,
     * several times a second.
     *
     * @return the failure that ends the run at once, because missing answers cannot come; else null
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
     * Stops the client for a reason other than a refused record. If others use the client it stays open, and the run
     * fails.
     */
    private @Nullable KafkaPipelineException end(Exception why) {
        if (stop != null) {
            return null;
        }
        if (shared) {
            return new KafkaPipelineException(String.valueOf(why.getMessage()), why);
        }
        stop = new Stop("", "", why);
        ClientClosing.begin(producer); // only begins: the watching thread must not wait for one that hangs
        if (counts.unanswered() == 0) {
            // The last answers arrived before the stop could be known.
            whenSettled.run();
        }
        return null;
    }

    /** The producer's thread. */
    private void countAnswer(RecordAnswer answer) {
        answer.counts().answers();
        leaveRoom();
    }

    /** The sender's thread. */
    private void countNotTaken(RecordAnswer answer) {
        answer.counts().sendsNot();
        leaveRoom();
    }

    private void leaveRoom() {
        if (room != null) {
            room.release();
        }
        if (stop != null) {
            VarHandle.fullFence(); // of two threads that count at once, one sees both counts
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
            return; // it says why
        }
        if (before == null || RecordRefusals.weight(refusal) > RecordRefusals.weight(before.refusal)) {
            stop = new Stop(answer.topic, answer.place(), refusal);
        }
        if (before == null && !shared) {
            // From here, on the client's own thread, nothing more leaves the client. Batches in flight after the
            // refused one follow a gap in the sequence, so the broker refuses them.
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

    /** Returns whether there is nothing to wait for: all answers have arrived, and none is a refusal. */
    boolean isQuiet() {
        return counts.unanswered() == 0 && stop == null;
    }

    long unanswered() {
        return counts.unanswered();
    }

    /** The reason why it has stopped, or null. A later report by the producer's thread may be more precise. */
    @Nullable
    Stop stop() {
        return stop;
    }

    /** The failure of a run that ends with this stop; only once it has settled. */
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
     * Waits until it has settled, and returns the unwritten records in the order in which they were sent.
     *
     * @throws KafkaPipelineException if its client hangs with records: these and later ones must not be written again
     */
    List<Kept<?, ?, ?>> awaitSettled() {
        if (shared) {
            flush();
        } else if (!ClientClosing.close(producer, SETTLE) && counts.unanswered() > 0) {
            throw ClientHealth.hangs(ClientThread.of(producer));
        }
        List<Kept<?, ?, ?>> all = new ArrayList<>(cameBack);
        all.sort(Comparator.comparingLong(kept -> kept.ordinal));
        return all;
    }

    /**
     * Ends the producer; nothing more is sent.
     *
     * @return the number of unanswered and unwritten records
     */
    long close(Duration patience) {
        if (!shared) {
            boolean ignored = ClientClosing.close(producer, patience);
        }
        return counts.unanswered() + unfinished.get();
    }
}
