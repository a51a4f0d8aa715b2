package dev.weir.bench.cluster;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.common.GroupState;
import org.jspecify.annotations.Nullable;

/** Reads a group's assignment and checks whether all members have joined and own partitions. Stateless. */
final class GroupLook {

    private GroupLook() {}

    /** Returns whether {@code members} members own all partitions; false while unknown. */
    static boolean isSettled(Admin admin, String group, int members, int partitions) throws InterruptedException {
        Seen seen = look(admin, group);
        return seen != null
                && seen.isStable
                && seen.assignment.ofMembers().size() >= members
                && seen.assignment.total() == partitions
                && seen.assignment.covers(partitions);
    }

    /**
     * Returns whether a share group has at least {@code members} members, each member has a partition, and each
     * partition has a member; false while unknown.
     */
    static boolean isShareSettled(Admin admin, String group, int members, int partitions) throws InterruptedException {
        Seen seen = lookAtShared(admin, group);
        return seen != null
                && seen.isStable
                && seen.assignment.ofMembers().size() >= members
                && seen.assignment.ofMembers().stream().noneMatch(Set::isEmpty)
                && seen.assignment.covers(partitions);
    }

    /** The current assignment of partitions; null while unknown. */
    static @Nullable Assignment assignment(Admin admin, String group, boolean isShared) throws InterruptedException {
        Seen seen = isShared ? lookAtShared(admin, group) : look(admin, group);
        return seen == null ? null : seen.assignment;
    }

    private record Seen(boolean isStable, Assignment assignment) {}

    private static @Nullable Seen look(Admin admin, String group) throws InterruptedException {
        try {
            ConsumerGroupDescription seen = admin.describeConsumerGroups(List.of(group))
                    .describedGroups()
                    .values()
                    .iterator()
                    .next()
                    .get();
            return new Seen(
                    seen.groupState() == GroupState.STABLE,
                    Assignment.of(seen.members().stream()
                            .map(member -> member.assignment().topicPartitions())
                            .toList()));
        } catch (ExecutionException notYet) {
            return null;
        }
    }

    private static @Nullable Seen lookAtShared(Admin admin, String group) throws InterruptedException {
        try {
            ShareGroupDescription seen = admin.describeShareGroups(List.of(group))
                    .describedGroups()
                    .values()
                    .iterator()
                    .next()
                    .get();
            return new Seen(
                    seen.groupState() == GroupState.STABLE,
                    Assignment.of(seen.members().stream()
                            .map(member -> member.assignment().topicPartitions())
                            .toList()));
        } catch (ExecutionException notYet) {
            return null;
        }
    }
}
