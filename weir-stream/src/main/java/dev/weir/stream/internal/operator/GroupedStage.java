package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Node;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gathers a fixed number of elements into a list; the last list may be shorter. Acknowledges all members together. */
final class GroupedStage<T> implements Stage<List<T>> {

    private final Stage<T> upstream;
    private final int groupSize;
    private final StageMeter meter;
    private final Clock clock;

    private Group<T> open;
    private boolean ended;

    private GroupedStage(Stage<T> upstream, int groupSize, StageMeter meter, Clock clock) {
        this.upstream = upstream;
        this.groupSize = groupSize;
        this.meter = meter;
        this.clock = clock;
        this.open = new Group<>(groupSize);
    }

    static <T> Node<List<T>> node(Node<T> above, int groupSize) {
        if (groupSize < 1) {
            throw new IllegalArgumentException("groupSize must be at least 1: groupSize=" + groupSize);
        }
        return new Node<>("grouped", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new GroupedStage<>(
                    upstream, groupSize, assembly.fused(attributes).meter(), assembly.clock());
        });
    }

    @Override
    public @Nullable Batch<List<T>> pull(long deadlineNanos) throws InterruptedException {
        while (!ended) {
            Batch<T> batch = upstream.pull(deadlineNanos);
            Batch<List<T>> out = new Batch<>(8);
            if (batch == null) {
                ended = true;
                if (open.members.isEmpty()) {
                    return null;
                }
                emitInto(out);
                meter.out(1);
                return out;
            }
            if (batch.isEmpty()) {
                return out;
            }
            long start = System.nanoTime();
            for (int i = 0; i < batch.size(); i++) {
                open.add(batch, i);
                if (open.members.size() == groupSize) {
                    emitInto(out);
                }
            }
            meter.worked(batch.size(), out.size(), start);
            if (!out.isEmpty() || clock.hasPassed(deadlineNanos)) {
                return out;
            }
        }
        return null;
    }

    private void emitInto(Batch<List<T>> out) {
        out.add(open.members, open.acks, 0);
        open = new Group<>(groupSize);
    }

    @Override
    public void close() {
        upstream.close();
    }

    /** The group being filled. */
    private static final class Group<T> {

        final List<T> members;
        final JointAck acks;

        Group(int groupSize) {
            int room = Math.min(groupSize, Batch.DEFAULT_CAPACITY);
            members = new ArrayList<>(room);
            acks = new JointAck(room);
        }

        void add(Batch<T> batch, int index) {
            members.add(batch.get(index));
            acks.add(batch.target(index), batch.token(index));
        }
    }
}
