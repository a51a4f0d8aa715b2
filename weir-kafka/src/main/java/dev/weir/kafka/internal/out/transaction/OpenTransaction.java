package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.meters.RecordTimes;
import dev.weir.kafka.internal.out.client.ClientHealth;
import dev.weir.kafka.internal.out.client.RecordRefusals;
import dev.weir.kafka.internal.out.transaction.LostInputs.Root;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
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
 * A transaction that accepts records and counts the brokers' acknowledgements. Guarded by the lock of its
 * {@link TransactionsOfRun}, except for acknowledgements, which arrive on the producer's thread.
 */
final class OpenTransaction<K, V> {

    private static final int MAX_PLACES = 5;

    private static final long MOST_BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long NEVER = Long.MIN_VALUE;

    final TransactionalProducer<K, V> producer;
    final long beganNanos;

    /** Unfinished inputs with a record in this transaction. All records of an input go into the same transaction. */
    private final Set<Root> open = new HashSet<>();

    private long opened;

    private final Set<AckTarget> sources = Collections.newSetFromMap(new IdentityHashMap<>());

    private AckTarget lastSource = AckTarget.NONE;

    // The last sent element with several inputs.
    private AckTarget lastJoint = AckTarget.NONE;
    private long lastJointToken;

    private final BiConsumer<OpenTransaction<K, V>, Exception> onRefusal;

    // Written only with the lock held.
    private volatile long records;
    private final RecordTimes times = new RecordTimes();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();

    /** The offsets of the written records; null if there is no {@code whenCommitted} listener. */
    private final @Nullable List<RecordMetadata> results;

    private long waitedNanos;
    private long askedNanos = NEVER;

    /** Confined to the monitoring thread. */
    private final ClientHealth health = new ClientHealth(false);

    // Confined to the monitoring thread.
    private long answersSeen = -1;
    private long waitingNanos;

    /** Rejected records, if the run has a rule for them. Complete once all records are acknowledged or rejected. */
    final Queue<TransactionRule.Refusal> refusals = new ConcurrentLinkedQueue<>();

    /** The sent records in order, to write them again after an abort; null if they are not kept. */
    final @Nullable List<TransactionRecord<K, V>> kept;

    /** The inputs of the records in {@link #kept}. Records made from the same element share one object. */
    private final Map<Root, EndedAcknowledgement> lasting = new HashMap<>();

    // The number of dead-letter records, and of dead-letter records without their value. Guarded by the lock.
    private int deadLetters;
    private int cutDeadLetters;

    /** The topic of the first rejected record; empty if there is none. */
    private volatile String refusedTopic = "";

    /** The input of the first rejected record, such as {@code orders-3@17}; empty if unknown. */
    private volatile String refusedInput = "";

    // The callback of the last element with several inputs or none. Confined to the sending thread.
    private @Nullable Callback jointAnswer;
    private AckTarget answerTarget = AckTarget.NONE;
    private long answerToken;

    /**
     * Creates an empty transaction that has begun.
     *
     * @param onRefusal called on the producer's thread for the first rejected record; must not block
     * @param keepsResults whether {@link #results} will be needed
     * @param keepsRecords whether the records are written again after an abort
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

    /** Returns the callback for a record of an element. Must be called before the element is acknowledged. */
    Callback answerOf(AckTarget target, long token) {
        if (target instanceof OffsetTracker source) {
            long offset = source.offsetOf(token);
            return (metadata, refusal) -> answered(metadata, refusal, refusal == null ? "" : source.placeAt(offset));
        }
        if (jointAnswer == null || target != answerTarget || token != answerToken) {
            String place = EndedAcknowledgement.text(TransactionRule.places(target, token));
            jointAnswer = (metadata, refusal) -> answered(metadata, refusal, place);
            answerTarget = target;
            answerToken = token;
        }
        return jointAnswer;
    }

    /** Handles the outcome of a record. */
    void answered(@Nullable RecordMetadata metadata, @Nullable Exception refusal, String input) {
        producer.client.thread().heard();
        answers.incrementAndGet();
        if (refusal == null && metadata != null) {
            if (results != null) {
                results.add(metadata);
            }
            bytes.addAndGet(
                    Math.max(0, metadata.serializedKeySize()) + (long) Math.max(0, metadata.serializedValueSize()));
        } else if (refusal != null && refusedTopic.isEmpty() && !RecordRefusals.isOfNeighbour(refusal)) {
            refusedInput = input;
            refusedTopic = metadata == null ? "?" : metadata.topic();
            onRefusal.accept(this, refusal);
        }
    }

    /** Returns the offsets of the written records; empty if they are not kept. Must be called after the commit. */
    List<RecordMetadata> results() {
        return results == null ? List.of() : List.copyOf(results);
    }

    /**
     * Returns a target that reports the inputs of an element even after its acknowledgement. Must be called before the
     * element is acknowledged.
     *
     * @param withPlaces whether the target must also know the origins of the inputs
     */
    AckTarget lasting(AckTarget target, long token, boolean withPlaces) {
        boolean knowsForGood =
                target instanceof EndedAcknowledgement || (target instanceof OffsetTracker && !withPlaces);
        return target == AckTarget.NONE || knowsForGood
                ? target
                : lasting.computeIfAbsent(
                        new Root(target, token),
                        root -> new EndedAcknowledgement(target, token, TransactionRule.places(target, token)));
    }

    void keptBackwards(Consumer<? super TransactionRecord<K, V>> taker) {
        if (kept != null) {
            kept.reversed().forEach(taker);
        }
    }

    String refusedTopic() {
        return refusedTopic;
    }

    String refusedInput() {
        return refusedInput;
    }

    /**
     * Notes that a record made from the element was sent, and acknowledges the element.
     *
     * @param timestamp the record's own timestamp, or null
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // single writer
    void sent(AckTarget target, long token, @Nullable Long timestamp) {
        records++;
        if (timestamp != null) {
            times.add(timestamp);
        }
        if (target instanceof OffsetTracker tracker) {
            cameFrom(tracker);
            if (!tracker.ackLast(token)) {
                open(new Root(tracker, token));
            } else if (!open.isEmpty()) {
                open.remove(new Root(tracker, token));
            }
        } else {
            if (!isLastJoint(target, token)) {
                target.roots(token, (source, rootToken) -> {
                    cameFrom(source);
                    open(new Root(source, rootToken));
                });
                lastJoint = target;
                lastJointToken = token;
            }
            target.ack(token);
        }
    }

    private void open(Root input) {
        if (open.add(input)) {
            opened++;
        }
    }

    private void cameFrom(AckTarget source) {
        if (source != lastSource) {
            sources.add(source);
            lastSource = source;
        }
    }

    Set<AckTarget> sources() {
        return sources;
    }

    void deadLetterSent(boolean isCut) {
        deadLetters++;
        cutDeadLetters += isCut ? 1 : 0;
    }

    int deadLetters() {
        return deadLetters;
    }

    int cutDeadLetters() {
        return cutDeadLetters;
    }

    /** Returns whether this transaction already contains a record made from one of the element's inputs. */
    boolean belongs(AckTarget target, long token) {
        if (isLastJoint(target, token)) {
            return true;
        }
        boolean[] found = {false};
        target.roots(token, (source, rootToken) -> found[0] |= open.contains(new Root(source, rootToken)));
        return found[0];
    }

    /** Returns whether the element has the same acknowledgement as the last sent element. */
    private boolean isLastJoint(AckTarget target, long token) {
        return target != AckTarget.NONE && target == lastJoint && token == lastJointToken;
    }

    Set<Root> open() {
        return open;
    }

    /** Returns the number of inputs ever added to {@link #open}. */
    long opened() {
        return opened;
    }

    /**
     * Returns the time for which the transaction has waited for the inputs in {@link #open}. Must be called regularly:
     * each call adds at most one second.
     */
    long waitedNanos(long nowNanos) {
        waitedNanos += askedNanos == NEVER ? 0 : Math.min(nowNanos - askedNanos, MOST_BETWEEN_NANOS);
        askedNanos = nowNanos;
        return waitedNanos;
    }

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

    RecordTimes times() {
        return times;
    }

    /** Returns the number of records neither acknowledged nor rejected. May be called from any thread. */
    long unanswered() {
        return Math.max(0, records - answers.get());
    }

    /**
     * Returns a lower bound of the time since the last acknowledgement; 0 if no acknowledgement is missing. Confined to
     * the monitoring thread.
     */
    long noAnswerNanos(long nowNanos) {
        long answered = answers.get();
        if (answered != answersSeen || records == answered) {
            answersSeen = answered;
            waitingNanos = nowNanos;
        }
        return nowNanos - waitingNanos;
    }

    /**
     * Returns the failure of the run if the client can no longer complete records, or null. Confined to the monitoring
     * thread.
     *
     * @param committing whether the transaction will be or is being committed
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
