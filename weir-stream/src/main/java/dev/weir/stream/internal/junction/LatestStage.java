package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.failure.FailureVerdict;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Combines the latest elements of all inputs whenever one input has a new element. If the function fails, the preceding
 * outputs are emitted first. Confined to the stage's thread.
 *
 * <p>The stage holds a pending acknowledgement of each input's latest element, and so does each output that contains
 * it.
 */
final class LatestStage<R> implements Stage<R> {

    private final InputQueues<Object> inlets;
    private final Function<? super List<Object>, ? extends R> combine;
    private final SupervisedCall supervised;
    private final Clock clock;
    private final StageMeter meter;

    private final @Nullable Object[] values;
    private final AckTarget[] targets;
    private final long[] tokens;
    private int missing;
    private boolean ended;
    private @Nullable Throwable failure;

    private LatestStage(
            InputQueues<Object> inlets,
            int inputs,
            Function<? super List<Object>, ? extends R> combine,
            SupervisedCall supervised,
            StageEntry entry) {
        this.inlets = inlets;
        this.combine = combine;
        this.supervised = supervised;
        this.clock = entry.clock();
        this.meter = entry.meter();
        this.values = new Object[inputs];
        this.targets = new AckTarget[inputs];
        this.tokens = new long[inputs];
        this.missing = inputs;
        Arrays.fill(targets, AckTarget.NONE);
    }

    /**
     * Creates a stage for inputs of different types.
     *
     * @param untilFirstEnds if true, the stage ends when any input ends; otherwise, when all inputs have ended
     */
    @SuppressWarnings("unchecked") // only combine uses the elements, and it knows their types
    static <R> BlueprintNode<R> node(
            String name,
            List<? extends BlueprintNode<?>> inputs,
            Function<? super List<Object>, ? extends R> combine,
            boolean untilFirstEnds) {
        List<BlueprintNode<Object>> untyped = (List<BlueprintNode<Object>>) inputs;
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            InputQueues<Object> inlets = MergeStage.inlets(
                    assembly, attributes, untyped, InputSelection.roundRobin(inputs.size()), untilFirstEnds);
            StageEntry entry = assembly.fused(attributes);
            entry.depth(inlets::depth);
            return new LatestStage<>(
                    inlets, inputs.size(), combine, SupervisedCall.by(attributes, assembly.clock()), entry);
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        while (!ended) {
            if (failure != null) {
                throw FailureTransfer.rethrow(failure);
            }
            Batch<Object> current = inlets.take(deadlineNanos, meter);
            if (current == null) {
                ended = true;
                finishLatest();
                return null;
            }
            if (current.isEmpty()) {
                return current.retyped();
            }
            long start = System.nanoTime();
            Batch<R> out = new Batch<>(current.size());
            int input = inlets.lastInput();
            int next = 0;
            try {
                while (next < current.size()) {
                    take(input, current, next++);
                    if (missing == 0) {
                        emit(input, out);
                    }
                }
            } catch (InterruptedException interrupted) {
                try {
                    out.abandonAll();
                } finally {
                    current.abandonFrom(next);
                }
                throw interrupted;
            } catch (RuntimeException | Error thrown) {
                failure = thrown;
                current.abandonFrom(next);
            }
            meter.worked(current.size(), out.size(), start);
            if (!out.isEmpty() || (failure == null && clock.hasPassed(deadlineNanos))) {
                return out;
            }
        }
        return null;
    }

    /** Replaces the latest element of an input, and ends the stage's own acknowledgement of the old one. */
    private void take(int input, Batch<Object> from, int index) {
        if (values[input] == null) {
            missing--;
        }
        targets[input].ack(tokens[input]);
        values[input] = from.get(index);
        targets[input] = from.target(index);
        tokens[input] = from.token(index);
    }

    @SuppressWarnings("NullAway") // all inputs have an element
    private void emit(int input, Batch<R> out) throws InterruptedException {
        List<Object> latest = Arrays.asList(values.clone());
        Object result;
        try {
            result = Objects.requireNonNull(combine.apply(latest), "the function of zipLatestWith returned null");
        } catch (Throwable thrown) {
            result = supervised.after(thrown, combine::apply, latest);
        }
        if (result instanceof FailureVerdict verdict) {
            for (int i = 0; i < values.length; i++) {
                supervised.note(verdict, targets[i], tokens[i], values[i]);
            }
            switch (verdict.decision()) {
                case FAIL -> verdict.throwIfFails();
                case SKIP -> {}
                // The element stays unacknowledged, although it remains the latest of its input.
                case SKIP_UNACKNOWLEDGED -> targets[input] = AckTarget.NONE;
                case RESTART -> forget();
            }
            return;
        }
        JointAck all = new JointAck(values.length);
        for (int i = 0; i < values.length; i++) {
            if (targets[i] != AckTarget.NONE) {
                targets[i].retain(tokens[i], 1);
                all.add(targets[i], tokens[i]);
            }
        }
        out.add(result, all, 0);
    }

    private void forget() {
        Arrays.fill(values, null);
        missing = values.length;
        EachAcknowledgement.of(values.length, input -> {
            AckTarget target = targets[input];
            targets[input] = AckTarget.NONE;
            target.ack(tokens[input]);
        });
    }

    /** Acknowledges the latest element of each input at the end, if every input had an element. */
    private void finishLatest() {
        if (missing == 0) {
            forget();
        }
    }

    @Override
    public void close() {
        try {
            EachAcknowledgement.of(values.length, input -> {
                AckTarget target = targets[input];
                targets[input] = AckTarget.NONE;
                target.abandon(tokens[input]);
            });
        } finally {
            inlets.cancel();
        }
    }
}
