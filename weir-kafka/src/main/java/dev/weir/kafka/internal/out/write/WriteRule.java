package dev.weir.kafka.internal.out.write;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.FailedRecordForwarder;
import dev.weir.kafka.internal.out.client.RecordRefusals;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's rule for elements whose records cannot be written: the run fails, the elements are skipped, or they are kept
 * until a dead-letter topic has them. Remembers recently rejected topics. Confined to the segment's thread, except
 * {@link #takes}.
 */
public class WriteRule<T> {

    private static final Logger LOG = LoggerFactory.getLogger(WriteRule.class);

    private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The time for which a rejected topic is not tried again. */
    private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private record RefusedTopic(Exception refusal, long nanos) {}

    /** Converts an element into a failed record. */
    @FunctionalInterface
    interface AsFailed<T> {

        /** Returns the failed record for an element whose input is at {@code place}, which is empty if unknown. */
        FailedRecord of(T element, Throwable refusal, String place);
    }

    private final WriteFailures failures;
    private final StageContext context;

    /**
     * Missing or forbidden topics. Trying such a topic again for each record would take max.block.ms or a new producer
     * each time.
     */
    private final Map<String, RefusedTopic> topics = new HashMap<>();

    // Null if such elements are skipped
    private final @Nullable AsFailed<? super T> asFailed;
    private final @Nullable FailedRecordForwarder forwarder;

    private Batch<FailedRecord> rejected = new Batch<>(0);
    private long skipped;
    private long warnedNanos = System.nanoTime() - WARN_NANOS;

    private WriteRule(
            WriteFailures failures,
            StageContext context,
            @Nullable AsFailed<? super T> asFailed,
            @Nullable FailedRecordForwarder forwarder) {
        this.failures = failures;
        this.asFailed = asFailed;
        this.context = context;
        this.forwarder = forwarder;
    }

    /** Returns the object that applies a rule. */
    static <T> WriteRule<T> of(WriteFailures failures, StageContext context, AsFailed<? super T> asFailed) {
        DeadLetterTopic deadLetterTopic = failures.deadLetterTopic();
        return new WriteRule<>(
                failures,
                context,
                asFailed,
                deadLetterTopic == null ? null : FailedRecordForwarder.create(deadLetterTopic, context));
    }

    /** Returns the same for a sink that receives records to write. */
    public static <K, V> WriteRule<ProducerRecord<K, V>> ofRecords(
            WriteFailures failures, StageContext context, ProducerSettings<K, V> settings) {
        return of(failures, context, new UnwrittenFailures<>(settings)::failed);
    }

    /**
     * Returns a rule that covers the same exceptions, remembers topics separately, and passes its elements to
     * {@code other}.
     */
    <P> WriteRule<P> handedTo(BiConsumer<? super P, ? super Exception> other) {
        return new WriteRule<P>(failures, context, null, null) {
            @Override
            public void add(P part, Exception refusal, AckTarget target, long token) {
                other.accept(part, refusal);
            }
        };
    }

    /** Returns whether the first element that cannot be written fails the run. */
    public final boolean isFail() {
        return failures.action() == WriteFailures.Action.FAIL;
    }

    /** Returns whether the rule covers the exception. The run fails if it does not. Any thread. */
    public final boolean takes(Exception refusal) {
        return !isFail()
                && (RecordRefusals.isOfRecord(refusal) || (failures.ofTopics() && RecordRefusals.isOfTopic(refusal)));
    }

    /**
     * The exception with which a topic was rejected recently, so that its next records need not be tried; null if there
     * is none.
     */
    public final @Nullable Exception refusalOf(String topic) {
        if (topics.isEmpty()) {
            return null;
        }
        RefusedTopic refused = topics.get(topic);
        if (refused != null && isOver(refused)) {
            topics.remove(topic);
            return null;
        }
        return refused == null ? null : refused.refusal;
    }

    private boolean isOver(RefusedTopic refused) {
        return context.clock().nanoTime() - refused.nanos > MEMORY_NANOS;
    }

    /**
     * Remembers an exception that the rule covers, if it concerns the topic. If one is already remembered, the new one
     * is ignored. Otherwise each record that is rejected because of the remembered exception would extend the time, and
     * the topic would never be tried again.
     */
    public final void note(String topic, Exception refusal) {
        if (RecordRefusals.isOfTopic(refusal)) {
            topics.compute(
                    topic,
                    (same, before) -> before != null && (before.refusal == refusal || !isOver(before))
                            ? before
                            : new RefusedTopic(refusal, context.clock().nanoTime()));
        }
    }

    /** Takes ownership of an element and its acknowledgement. */
    public void add(T element, Exception refusal, AckTarget target, long token) {
        String place = target.placeOf(token);
        if (forwarder != null && asFailed != null) {
            rejected.add(asFailed.of(element, refusal, place), target, token);
            return;
        }
        skipped++;
        long now = System.nanoTime();
        if (now - warnedNanos >= WARN_NANOS) {
            warnedNanos = now;
            LOG.warn(
                    "pipeline {}: {} records that cannot be written were skipped so far, the last one made of {}: {}",
                    context.pipelineName(),
                    skipped,
                    place.isEmpty() ? "an input without a place" : place,
                    refusal.toString());
        }
        target.ack(token);
    }

    /**
     * Returns when all elements added before are written to the dead-letter topic and acknowledged. Does nothing if
     * this rule has no dead-letter topic.
     */
    public final void settle() throws InterruptedException {
        if (!rejected.isEmpty() && forwarder != null) {
            Batch<FailedRecord> all = rejected;
            rejected = new Batch<>(0);
            forwarder.deliver(all);
        }
    }
}
