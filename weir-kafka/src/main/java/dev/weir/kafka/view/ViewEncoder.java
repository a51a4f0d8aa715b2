package dev.weir.kafka.view;

import dev.weir.lean.RecordView;

/**
 * Creates any number of output records from a record in the receive buffer. Called by the threads of its stage; with
 * {@code mapParallel}, by several threads concurrently.
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
     * Encodes one record. If it throws, the stage's supervision decides what happens.
     *
     * @param record the record, valid during the call
     * @param out receives the output records; valid during the call
     */
    void encode(RecordView record, RecordOutput out);
}
