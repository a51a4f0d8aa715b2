package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import java.util.function.Supplier;

/** Decides to which output each element goes. Confined to the distributing thread. */
@FunctionalInterface
interface OutputSelection<T> {

    /** Hands out a batch, waiting for outputs that have no room. */
    void handOut(Batch<T> batch, StageOutputs<T> outlets, StageMeter segment) throws InterruptedException;

    @FunctionalInterface
    interface Factory<T> {
        OutputSelection<T> of(Supplier<SupervisedCall> supervised);
    }

    /** Hands each element to every output. */
    static <T> OutputSelection<T> toAll() {
        return (batch, outlets, segment) -> {
            int outputs = outlets.size();
            if (outputs > 1) {
                batch.retainAll(outputs - 1);
            }
            int output = 1;
            try {
                for (; output < outputs; output++) {
                    boolean ignored = outlets.give(output, batch.copy(), segment);
                }
            } catch (InterruptedException interrupted) {
                // Abandon one copy for each output that got none. The interrupted `give` has abandoned its own copy.
                for (; output < outputs; output++) {
                    batch.abandonAll();
                }
                throw interrupted;
            }
            boolean ignored = outlets.give(0, batch, segment);
        };
    }

    /** Distributes batches through the queue of all outputs. Splits each batch into about one part per output. */
    static <T> OutputSelection<T> balanced() {
        return (batch, outlets, segment) -> {
            int size = batch.size();
            int share = Math.ceilDiv(size, outlets.size());
            if (share == size) {
                boolean ignored = outlets.give(0, batch, segment);
                return;
            }
            for (int from = 0; from < size; from += share) {
                Batch<T> part = new Batch<>(share);
                for (int i = from; i < Math.min(size, from + share); i++) {
                    part.add(batch.get(i), batch.target(i), batch.token(i));
                }
                try {
                    boolean ignored = outlets.give(0, part, segment);
                } catch (InterruptedException interrupted) {
                    batch.abandonFrom(Math.min(size, from + share));
                    throw interrupted;
                }
            }
        };
    }
}
