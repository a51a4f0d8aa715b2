package dev.weir.kafka.view;

import dev.weir.lean.RecordView;

/**
 * A user's function from a record in the receive buffer to its output records: none, one or several. Called by the
 * threads of its stage, by several at once with {@code mapParallel}; it may fail.
 *
 * <pre>{@code
 * ViewEncoder encoder = (record, out) -> {
 *     if (record.value().getLong(8) > 100) {
 *         out.send(out.record("large").key(record.key()).value(record.value()));
 *     }
 * };
 * }</pre>
 */
@FunctionalInterface
public interface ViewEncoder {

    /**
     * Encodes one record. The stage's supervision decides about exceptions.
     *
     * @param record valid during the call
     * @param out takes the output records; valid during the call
     */
    void encode(RecordView record, RecordOutput out);
}
