package dev.weir.kafka.internal.producer;

import dev.weir.kafka.DeadLetters;
import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.failure.Forwarder;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elements whose records cannot be written: skipped, or kept until they stand in a dead-letter topic. Confined to the
 * segment's thread, but for {@link #takes}.
 */
public final class Rejects<T> implements Refused<T> {

    private static final Logger LOG = LoggerFactory.getLogger(Rejects.class);

    private static final long WARN_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Makes a failed record of an element. */
    @FunctionalInterface
    interface AsFailed<T> {

        /** The element, as one of the input at {@code place}, which is empty if it is not known. */
        FailedRecord of(T element, Throwable refusal, String place);
    }

    /** Null if they are skipped. */
    private final @Nullable Forwarder forwarder;

    private final AsFailed<? super T> asFailed;
    private final boolean ofTopics;
    private final StageContext context;
    private Batch<FailedRecord> rejected = new Batch<>(0);
    private long skipped;
    private long warnedNanos = System.nanoTime() - WARN_NANOS;

    private Rejects(
            @Nullable Forwarder forwarder, AsFailed<? super T> asFailed, boolean ofTopics, StageContext context) {
        this.forwarder = forwarder;
        this.asFailed = asFailed;
        this.ofTopics = ofTopics;
        this.context = context;
    }

    /** Returns the rule's form in a run; null if it lets the run fail. */
    static <T> @Nullable Rejects<T> of(WriteFailures rule, StageContext context, AsFailed<? super T> asFailed) {
        if (rule.action() == WriteFailures.Action.FAIL) {
            return null;
        }
        DeadLetters letters = rule.letters();
        Forwarder forwarder = letters == null ? null : Forwarder.create(letters, context);
        return new Rejects<>(forwarder, asFailed, rule.ofTopics(), context);
    }

    /** The same for a sink that is given records to write. */
    public static <K, V> @Nullable Refused<ProducerRecord<K, V>> ofRecords(
            WriteFailures rule, StageContext context, ProducerSettings<K, V> settings) {
        return of(rule, context, new Unwritten<>(settings)::failed);
    }

    @Override
    public boolean takes(Exception refusal) {
        return Refusals.isOfRecord(refusal) || (ofTopics && Refusals.isOfTopic(refusal));
    }

    @Override
    public void add(T element, Exception refusal, AckTarget target, long token) {
        String place = target.placeOf(token);
        if (forwarder != null) {
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

    @Override
    public void settle() throws InterruptedException {
        if (!rejected.isEmpty() && forwarder != null) {
            Batch<FailedRecord> all = rejected;
            rejected = new Batch<>(0);
            forwarder.deliver(all);
        }
    }
}
