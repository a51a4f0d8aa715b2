package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.internal.buffer.Assignment;
import dev.weir.kafka.internal.commit.Commits;
import dev.weir.kafka.internal.fetch.Fetcher;
import dev.weir.kafka.internal.lookup.OwnerThread;
import dev.weir.kafka.internal.position.Positions;
import java.util.Collection;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** Takes partitions in that the group has given, or that the member has taken itself. Confined to the owner thread. */
final class Arrivals {

    private final OwnerThread owner;
    private final Fetcher fetcher;
    private final Assignment assignment;
    private final Commits commits;
    private final Positions positions;
    private final Hooks hooks;
    private final Observer observer;

    Arrivals(
            OwnerThread owner,
            Fetcher fetcher,
            Assignment assignment,
            Commits commits,
            Positions positions,
            Hooks hooks,
            Observer observer) {
        this.owner = owner;
        this.fetcher = fetcher;
        this.assignment = assignment;
        this.commits = commits;
        this.positions = positions;
        this.hooks = hooks;
        this.observer = observer;
    }

    void assigned(Collection<TopicPartition> ids) {
        fetcher.assigned(ids);
        if (!owner.isEmitting()) {
            // Nothing of them will be emitted, so there will be nothing to commit.
            fetcher.pause(ids);
            return;
        }
        assignment.add(ids, observer.assigned());
        observer.runLog().assigned(ids, assignment.ids().size());
        commits.assigned(ids);
        hooks.assigned(Set.copyOf(ids));
        positions.assigned(assignment.current(ids));
    }
}
