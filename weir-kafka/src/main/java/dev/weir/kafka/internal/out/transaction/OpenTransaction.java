package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.meters.LatencyCounts;
import dev.weir.kafka.internal.out.client.ClientHealth;
import dev.weir.kafka.internal.out.client.RecordRefusals;
import dev.weir.kafka.internal.out.transaction.LostInputs.Root;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that takes records, and hears from the brokers about each. Guarded by the lock of its
 * {@link TransactionsOfRun}, but for the answers, which come on the producer's thread.
 */
final class OpenTransaction<K, V> implements Callback {

    /**
     * The timestamps of a transaction's records. Records of one millisecond come in runs, so that a run takes one slot.
     * Confined to whoever has the transaction.
     */
    static final class RecordTimes {

        private long[] millis = new long[64];
        private int[] counts = new int[64];
        private int size;

        void add(long timestampMillis) {
            if (size > 0 && millis[size - 1] == timestampMillis) {
                counts[size - 1]++;
                return;
            }
            if (size == millis.length) {
                millis = Arrays.copyOf(millis, size * 2);
                counts = Arrays.copyOf(counts, size * 2);
            }
            millis[size] = timestampMillis;
            counts[size++] = 1;
        }

        /** Counts the time from each timestamp to {@code nowMillis}. */
        void countUntil(long nowMillis, LatencyCounts latency) {
            for (int i = 0; i < size; i++) {
                latency.add(nowMillis - millis[i], counts[i]);
            }
        }
    }

    /** Inputs that a message names. */
    private static final int MAX_PLACES = 5;

    private static final long MOST_BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long NEVER = Long.MIN_VALUE;

    final TransactionalProducer<K, V> producer;
    final long beganNanos;

    /** Inputs with a record here that are not finished: all records of an input go into one transaction. */
    private final Set<Root> open = new HashSet<>();

    /** The targets its records came from. */
    private final Set<AckTarget> sources = Collections.newSetFromMap(new IdentityHashMap<>());

    private AckTarget lastSource = AckTarget.NONE;

    // The element of several inputs that was sent last: one group becomes many records, each for all of its inputs.
    private AckTarget lastJoint = AckTarget.NONE;
    private long lastJointToken;

    private final BiConsumer<OpenTransaction<K, V>, Exception> onRefusal;

    // One writer, under the lock.
    private volatile long records;
    private final RecordTimes times = new RecordTimes();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();

    /** The places of its records; null if nobody asks. */
    private final @Nullable List<RecordMetadata> results;

    private long waitedNanos;
    private long askedNanos = NEVER;

    /** Health of the client. Confined to the watching thread. */
    private final ClientHealth health = new ClientHealth(false);

    // Of the thread that looks.
    private long answersSeen = -1;
    private long waitingNanos;

    /** The refusals, if there is a rule for them: complete once all records are answered. */
    final Queue<TransactionRule.Refusal> refusals = new ConcurrentLinkedQueue<>();

    /** Its records in their order, to be written again if it is aborted; null if they are not kept. Sent ones only. */
    final @Nullable List<TransactionRecord<K, V>> kept;

    /** The ends of claims with records in {@link #kept}: many records of a group share it. */
    private final Map<Root, EndedAcknowledgement> lasting = new HashMap<>();

    // Letters in the place of records, and those without their value. Under the lock.
    private int letters;
    private int cutLetters;

    /** The topic of a record that was refused. */
    private volatile String refusedTopic = "";

    /**
     * Creates an empty one, begun.
     *
     * @param onRefusal called on the producer's thread, at the first record that the brokers refuse; must not block
     * @param keepsResults whether somebody asks for {@link #results}
     * @param keepsRecords whether they are to be written again if it is aborted
     */
    OpenTransaction(
            TransactionalProducer<K, V> producer,
            long beganNanos,
            BiConsumer<OpenTransaction<K, V>, Exception> onRefusal,
            boolean keepsResults,
            boolean keepsRecords) {
        this.kept = keepsRecords ? new ArrayList<>() : null;
        this.results = keepsResults ? Collections.synchronizedList(new ArrayList<>()) : null;
        this.producer = producer;
        this.beganNanos = beganNanos;
        this.onRefusal = onRefusal;
    }

    @Override
    public void onCompletion(@Nullable RecordMetadata metadata, @Nullable Exception refusal) {
        producer.client.thread().heard();
        answers.incrementAndGet();
        if (refusal == null && metadata != null) {
            if (results != null) {
                results.add(metadata);
            }
            bytes.addAndGet(
                    Math.max(0, metadata.serializedKeySize()) + (long) Math.max(0, metadata.serializedValueSize()));
        } else if (refusal != null && refusedTopic.isEmpty() && !RecordRefusals.isOfNeighbour(refusal)) {
            refusedTopic = metadata == null ? "?" : metadata.topic();
            onRefusal.accept(this, refusal);
        }
    }

    /** The places of its records, once it is committed; empty if they are not kept. */
    List<RecordMetadata> results() {
        return results == null ? List.of() : List.copyOf(results);
    }

    /**
     * Returns the target that knows the inputs of a claim that still lasts, also once it is ended.
     *
     * @param withPlaces whether somebody asks for their places
     */
    AckTarget lasting(AckTarget target, long token, boolean withPlaces) {
        boolean knowsForGood =
                target instanceof EndedAcknowledgement || (target instanceof OffsetTracker && !withPlaces);
        return target == AckTarget.NONE || knowsForGood
                ? target
                : lasting.computeIfAbsent(
                        new Root(target, token),
                        claim -> new EndedAcknowledgement(
                                target, token, withPlaces ? TransactionRule.places(target, token) : List.of()));
    }

    /** Hands over what is kept, the last one first. */
    void keptBackwards(Consumer<? super TransactionRecord<K, V>> taker) {
        if (kept != null) {
            kept.reversed().forEach(taker);
        }
    }

    String refusedTopic() {
        return refusedTopic;
    }

    /**
     * A record of the element was sent: ends the claim on it.
     *
     * @param timestamp the record's own, or null
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void sent(AckTarget target, long token, @Nullable Long timestamp) {
        records++;
        if (timestamp != null) {
            times.add(timestamp);
        }
        if (target instanceof OffsetTracker tracker) {
            cameFrom(tracker);
            if (!tracker.ackLast(token)) {
                open.add(new Root(tracker, token));
            } else if (!open.isEmpty()) {
                open.remove(new Root(tracker, token));
            }
        } else {
            if (!isLastJoint(target, token)) {
                target.roots(token, (source, rootToken) -> {
                    cameFrom(source);
                    open.add(new Root(source, rootToken));
                });
                lastJoint = target;
                lastJointToken = token;
            }
            target.ack(token);
        }
    }

    private void cameFrom(AckTarget source) {
        if (source != lastSource) {
            sources.add(source);
            lastSource = source;
        }
    }

    /** The targets its records came from, finished or not. */
    Set<AckTarget> sources() {
        return sources;
    }

    /** Notes that the record sent last is a letter. */
    void letterSent(boolean isCut) {
        letters++;
        cutLetters += isCut ? 1 : 0;
    }

    int letters() {
        return letters;
    }

    int cutLetters() {
        return cutLetters;
    }

    /** Returns whether the element came of an input that this transaction has a record of already. */
    boolean belongs(AckTarget target, long token) {
        if (isLastJoint(target, token)) {
            return true;
        }
        boolean[] found = {false};
        target.roots(token, (source, rootToken) -> found[0] |= open.contains(new Root(source, rootToken)));
        return found[0];
    }

    /**
     * Returns whether its inputs are in {@link #open} already: the claim that is asked for keeps each of them
     * unfinished.
     */
    private boolean isLastJoint(AckTarget target, long token) {
        return target != AckTarget.NONE && target == lastJoint && token == lastJointToken;
    }

    Set<Root> open() {
        return open;
    }

    /**
     * The time it has waited for {@link #open}; to be asked now and then while it does. What goes by between two calls
     * counts for a second at most: the process may have been frozen.
     */
    long waitedNanos(long nowNanos) {
        waitedNanos += askedNanos == NEVER ? 0 : Math.min(nowNanos - askedNanos, MOST_BETWEEN_NANOS);
        askedNanos = nowNanos;
        return waitedNanos;
    }

    /** The first of {@link #open}, for messages. */
    String places() {
        List<String> places = open.stream()
                .map(root -> root.source().placeOf(root.token()))
                .sorted()
                .toList();
        return String.join(", ", places.subList(0, Math.min(MAX_PLACES, places.size())))
                + (places.size() > MAX_PLACES ? " and " + (places.size() - MAX_PLACES) + " more" : "");
    }

    long records() {
        return records;
    }

    /** The time when its records were made. */
    RecordTimes times() {
        return times;
    }

    /** Records that no broker has answered yet; any thread. */
    long unanswered() {
        return Math.max(0, records - answers.get());
    }

    /** For how long, at least, records have had no answer, and none has come. One thread. */
    long noAnswerNanos(long nowNanos) {
        long answered = answers.get();
        if (answered != answersSeen || records == answered) {
            answersSeen = answered;
            waitingNanos = nowNanos;
        }
        return nowNanos - waitingNanos;
    }

    /**
     * The failure of a run whose client cannot answer any more; null while it may. One thread.
     *
     * @param committing whether the brokers' answer to its commit is waited for, or will be
     */
    @Nullable
    KafkaPipelineException look(boolean committing, long nowNanos) {
        Producer<K, V> client = producer.client.client();
        return client == null
                ? null
                : health.failure(health.look(
                        client, producer.client.thread(), answers.get(), unanswered(), committing, nowNanos));
    }

    long bytes() {
        return bytes.get();
    }
}
