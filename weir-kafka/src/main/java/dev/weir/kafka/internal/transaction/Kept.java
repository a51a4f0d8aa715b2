package dev.weir.kafka.internal.transaction;

import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.stream.spi.AckTarget;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** A record of an open transaction, which is written again if the transaction is aborted. Immutable. */
final class Kept<K, V> {

    private final ProducerRecord<K, V> record;

    /** Those that it had before it was sent. */
    private final Header[] headers;

    /** Of the claim that it ended: a source's own, {@link AckTarget#NONE}, or an {@link Ended}. */
    private final AckTarget target;

    private final long token;
    private final boolean isLetter;

    private Kept(ProducerRecord<K, V> record, AckTarget target, long token, boolean isLetter) {
        this.record = record;
        this.headers = Copies.headers(record);
        this.target = target;
        this.token = token;
        this.isLetter = isLetter;
    }

    /**
     * Keeps a record that is about to be sent, while the claim still lasts.
     *
     * @param places of its inputs, if somebody will ask
     * @param before what was kept before it: the records of one group share what is known of it
     */
    static <K, V> Kept<K, V> of(
            ProducerRecord<K, V> record,
            AckTarget target,
            long token,
            boolean isLetter,
            List<String> places,
            @Nullable Kept<K, V> before) {
        if (target == AckTarget.NONE
                || target instanceof Ended
                || (target instanceof OffsetTracker && places.isEmpty())) {
            return new Kept<>(record, target, token, isLetter);
        }
        if (before != null && before.target instanceof Ended known && known.isOf(target, token)) {
            return new Kept<>(record, known, 0, isLetter);
        }
        return new Kept<>(record, new Ended(target, token, places), 0, isLetter);
    }

    /** The record as it was, to be sent once more. */
    Element<K, V> again() {
        AckTarget ended = target instanceof OffsetTracker ? new Ended(target, token, List.of()) : target;
        Element<K, V> again = new Element<>(Copies.of(record, headers), ended, token);
        again.isLetter = isLetter;
        return again;
    }
}
