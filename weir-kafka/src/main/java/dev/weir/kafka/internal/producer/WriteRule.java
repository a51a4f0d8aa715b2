package dev.weir.kafka.internal.producer;

import dev.weir.kafka.DeadLetters;
import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.failure.Forwarder;
import dev.weir.kafka.internal.send.Refusals;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rule of a run for elements whose records cannot be written: the run fails, they are skipped, or they are kept
 * until they stand in a dead-letter topic. Remembers topics that were refused a moment ago. Confined to the segment's
 * thread, except {@link #takes}.
 */
public final class WriteRule<T> {

    private static final Logger LOG = LoggerFactory.getLogger(WriteRule.class);

    private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Makes a failed record of an element. */
    @FunctionalInterface
    interface AsFailed<T> {

        /** The element, as one of the input at {@code place}, which is empty if it is not known. */
        FailedRecord of(T element, Throwable refusal, String place);
    }

    /** Takes refused elements, with their acknowledgements. */
    @FunctionalInterface
    private interface Taker<T> {

        void add(T element, Exception refusal, AckTarget target, long token);

        /** Returns when all that was added before is written and acknowledged, if that is this one's to do. */
        default void settle() throws InterruptedException {}
    }

    private final boolean isFail;
    private final boolean ofTopics;
    private final RefusedTopics topics;
    private final Taker<? super T> taker;

    private WriteRule(boolean isFail, boolean ofTopics, RefusedTopics topics, Taker<? super T> taker) {
        this.isFail = isFail;
        this.ofTopics = ofTopics;
        this.topics = topics;
        this.taker = taker;
    }

    /** Returns the form of a rule in a run. */
    static <T> WriteRule<T> of(WriteFailures rule, StageContext context, AsFailed<? super T> asFailed) {
        DeadLetters letters = rule.letters();
        Taker<T> taker =
                letters == null ? new Skipping<>(context) : new Writing<>(Forwarder.create(letters, context), asFailed);
        boolean isFail = rule.action() == WriteFailures.Action.FAIL;
        return new WriteRule<>(isFail, rule.ofTopics(), new RefusedTopics(context.clock()), taker);
    }

    /** The same for a sink that is given records to write. */
    public static <K, V> WriteRule<ProducerRecord<K, V>> ofRecords(
            WriteFailures rule, StageContext context, ProducerSettings<K, V> settings) {
        return of(rule, context, new Unwritten<>(settings)::failed);
    }

    /** Returns a rule for the same refusals, with a memory of its own, whose elements somebody else deals with. */
    <P> WriteRule<P> handedTo(BiConsumer<? super P, ? super Exception> other, StageContext context) {
        return new WriteRule<>(
                isFail,
                ofTopics,
                new RefusedTopics(context.clock()),
                (part, refusal, target, token) -> other.accept(part, refusal));
    }

    /** Returns whether the first element that cannot be written fails the run. */
    public boolean isFail() {
        return isFail;
    }

    /** Returns whether it is for a refusal like that; the run fails with others. Any thread. */
    public boolean takes(Exception refusal) {
        return !isFail && (Refusals.isOfRecord(refusal) || (ofTopics && Refusals.isOfTopic(refusal)));
    }

    /** The refusal of a topic a moment ago, with which its next records need not be tried; null if there is none. */
    public @Nullable Exception refusalOf(String topic) {
        return isFail ? null : topics.refusal(topic);
    }

    /** Notes a refusal that may be one of the topic. */
    public void note(String topic, Exception refusal) {
        if (!isFail) {
            topics.refused(topic, refusal);
        }
    }

    /** Takes an element, and its acknowledgement. */
    public void add(T element, Exception refusal, AckTarget target, long token) {
        taker.add(element, refusal, target, token);
    }

    /** Returns when all that was added before is written somewhere and acknowledged, if that is this one's to do. */
    public void settle() throws InterruptedException {
        taker.settle();
    }

    private static final class Skipping<T> implements Taker<T> {

        private final StageContext context;
        private long skipped;
        private long warnedNanos = System.nanoTime() - WARN_NANOS;

        Skipping(StageContext context) {
            this.context = context;
        }

        @Override
        public void add(T element, Exception refusal, AckTarget target, long token) {
            skipped++;
            long now = System.nanoTime();
            if (now - warnedNanos >= WARN_NANOS) {
                warnedNanos = now;
                String place = target.placeOf(token);
                LOG.warn(
                        "pipeline {}: {} records that cannot be written were skipped so far, the last one made of {}: {}",
                        context.pipelineName(),
                        skipped,
                        place.isEmpty() ? "an input without a place" : place,
                        refusal.toString());
            }
            target.ack(token);
        }
    }

    private static final class Writing<T> implements Taker<T> {

        private final Forwarder forwarder;
        private final AsFailed<? super T> asFailed;
        private Batch<FailedRecord> left = new Batch<>(0);

        Writing(Forwarder forwarder, AsFailed<? super T> asFailed) {
            this.forwarder = forwarder;
            this.asFailed = asFailed;
        }

        @Override
        public void add(T element, Exception refusal, AckTarget target, long token) {
            left.add(asFailed.of(element, refusal, target.placeOf(token)), target, token);
        }

        @Override
        public void settle() throws InterruptedException {
            if (!left.isEmpty()) {
                Batch<FailedRecord> all = left;
                left = new Batch<>(0);
                forwarder.deliver(all);
            }
        }
    }
}
