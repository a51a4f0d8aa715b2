package dev.weir.stream.internal.grouping;

import dev.weir.stream.internal.ack.JointAck;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Emits windows of {@code size} elements, each starting {@code step} elements after the previous one. Each window holds
 * a pending acknowledgement of its elements. Confined to the stage's thread.
 */
final class SlidingStage<T> implements Stage<List<T>> {

    private final Stage<T> upstream;
    private final int size;
    private final int step;
    private final StageMeter meter;
    private final Clock clock;

    private final ElementRing<T> window = new ElementRing<>();
    private final HeldElements inside;

    private int inNoWindowYet;
    private int toSkip;
    private boolean ended;

    private SlidingStage(Stage<T> upstream, int size, int step, StageMeter meter, Clock clock) {
        this.upstream = upstream;
        this.size = size;
        this.step = step;
        this.meter = meter;
        this.clock = clock;
        this.inside = new HeldElements(meter);
    }

    static <T> BlueprintNode<List<T>> node(BlueprintNode<T> above, int size, int step) {
        if (size < 1 || step < 1) {
            throw new IllegalArgumentException(
                    "size and step of a window must be at least 1: size=" + size + " step=" + step);
        }
        return new BlueprintNode<>("sliding", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new SlidingStage<>(
                    upstream, size, step, assembly.fused(attributes).meter(), assembly.clock());
        });
    }

    @Override
    public @Nullable Batch<List<T>> pull(long deadlineNanos) throws InterruptedException {
        while (!ended) {
            Batch<T> batch = upstream.pull(deadlineNanos);
            Batch<List<T>> out = new Batch<>(8);
            if (batch == null) {
                ended = true;
                if (inNoWindowYet == 0) {
                    window.ackAll();
                    return null;
                }
                emit(out, window.size());
                inside.set(0);
                meter.out(1);
                return out;
            }
            if (batch.isEmpty()) {
                return out;
            }
            long start = System.nanoTime();
            for (int i = 0; i < batch.size(); i++) {
                take(batch, i, out);
            }
            meter.worked(batch.size(), out.size(), start);
            inside.set(window.size());
            if (!out.isEmpty() || clock.hasPassed(deadlineNanos)) {
                return out;
            }
        }
        return null;
    }

    private void take(Batch<T> batch, int index, Batch<List<T>> out) {
        if (toSkip > 0) {
            toSkip--;
            batch.ack(index);
            return;
        }
        window.add(batch, index, 0);
        inNoWindowYet++;
        if (window.size() == size) {
            emit(out, Math.min(step, size));
            toSkip = Math.max(0, step - size);
        }
    }

    /** Emits the window and removes its first {@code leaving} elements, which later windows do not contain. */
    private void emit(Batch<List<T>> out, int leaving) {
        int count = window.size();
        List<T> members = new ArrayList<>(count);
        JointAck acks = new JointAck(count);
        for (int i = 0; i < count; i++) {
            AckTarget target = window.target(i);
            long token = window.token(i);
            if (i >= leaving && target != AckTarget.NONE) {
                target.retain(token, 1);
            }
            members.add(window.value(i));
            acks.add(target, token);
        }
        for (int i = 0; i < leaving; i++) {
            window.dropFirst();
        }
        inNoWindowYet = 0;
        out.add(members, acks.asTarget(), 0);
    }

    @Override
    public void close() {
        inside.set(0);
        try {
            window.abandonAll();
        } finally {
            upstream.close();
        }
    }
}
