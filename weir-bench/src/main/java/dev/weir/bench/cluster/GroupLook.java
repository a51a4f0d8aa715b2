package dev.weir.bench.cluster;

import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.common.GroupState;

/** Whether the members of a group have joined, and each has its partitions. Stateless. */
final class GroupLook {

    private GroupLook() {}

    /** Whether so many members share out all of the partitions; false while the brokers do not know. */
    static boolean isSettled(Admin admin, String group, int members, int partitions) throws InterruptedException {
        try {
            ConsumerGroupDescription seen = admin.describeConsumerGroups(List.of(group))
                    .describedGroups()
                    .values()
                    .iterator()
                    .next()
                    .get();
            int assigned = seen.members().stream()
                    .mapToInt(member -> member.assignment().topicPartitions().size())
                    .sum();
            return seen.groupState() == GroupState.STABLE && seen.members().size() >= members && assigned == partitions;
        } catch (ExecutionException notYet) {
            return false;
        }
    }

    /** Whether so many members of a share group, or more, have a partition each. */
    static boolean isShareSettled(Admin admin, String group, int members) throws InterruptedException {
        try {
            ShareGroupDescription seen = admin.describeShareGroups(List.of(group))
                    .describedGroups()
                    .values()
                    .iterator()
                    .next()
                    .get();
            return seen.groupState() == GroupState.STABLE
                    && seen.members().size() >= members
                    && seen.members().stream()
                            .noneMatch(member ->
                                    member.assignment().topicPartitions().isEmpty());
        } catch (ExecutionException notYet) {
            return false;
        }
    }
}
