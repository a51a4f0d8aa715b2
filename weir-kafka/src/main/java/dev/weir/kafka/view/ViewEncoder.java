package dev.weir.kafka.view;

import dev.weir.lean.RecordView;

/**
 * A user's function between a record where it lies and those that are written for it: none, one or several. Called by
 * the threads of its stage, by several at once with {@code mapParallel}; it may fail.
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
     * Encodes. What it throws, the stage's supervision decides about.
     *
     * @param record valid during the call
     * @param out takes what is to be written; valid during the call
     */
    void encode(RecordView record, RecordOutput out);
}
