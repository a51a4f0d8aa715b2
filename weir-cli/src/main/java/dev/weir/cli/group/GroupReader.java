package dev.weir.cli.group;

import dev.weir.cli.group.GroupSnapshot.GroupMember;
import dev.weir.cli.group.GroupSnapshot.PartitionLag;
import dev.weir.command.client.ClientFault;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.terminal.CliFailure;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/** Reads groups from the brokers. Confined to one thread. The caller that opens it closes it. */
public final class GroupReader implements AutoCloseable {

    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final String NOTHING_COMMITTED = "the group has committed nothing of this partition";

    private static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    private final Admin admin;
    private final Duration patience;

    private GroupReader(Admin admin, Duration patience) {
        this.admin = admin;
        this.patience = patience;
    }

    /**
     * Opens a reader, after a check that a broker answers.
     *
     * @param patience time limit for each request to the brokers
     */
    public static GroupReader open(ClusterClients clients, Duration patience) throws InterruptedException {
        clients.check(List.of());
        return new GroupReader(clients.admin(), patience);
    }

    /** Reads the current state of a group. {@link LagTimes} adds the age of the lag. */
    public GroupSnapshot read(String group) throws InterruptedException {
        GroupType type = get(admin.listGroups().all(), group).stream()
                .filter(each -> each.groupId().equals(group))
                .findFirst()
                .orElseThrow(() -> CliFailure.work(
                        "there is no group " + group + " at these brokers",
                        "Check its name: a group exists from its first member or commit on."))
                .type()
                .orElse(GroupType.CLASSIC);
        return type == GroupType.SHARE ? share(group) : consumers(group, type);
    }

    private GroupSnapshot consumers(String group, GroupType type) throws InterruptedException {
        ConsumerGroupDescription described =
                get(admin.describeConsumerGroups(List.of(group)).all(), group).getOrDefault(group, null);
        List<GroupMember> members = described == null
                ? List.of()
                : described.members().stream().map(GroupReader::member).toList();
        Map<TopicPartition, OffsetAndMetadata> committed =
                get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(), group);
        Map<TopicPartition, Long> next = new HashMap<>();
        members.forEach(member -> member.partitions().forEach(each -> next.put(each, PartitionLag.UNKNOWN)));
        committed.forEach((partition, offset) -> {
            if (offset != null) {
                next.put(partition, offset.offset());
            }
        });
        return new GroupSnapshot(
                group, name(type), state(described == null ? null : described.groupState()), members, lag(next, group));
    }

    private static GroupMember member(MemberDescription member) {
        return new GroupMember(
                member.consumerId(),
                member.clientId(),
                host(member.host()),
                Set.copyOf(member.assignment().topicPartitions()));
    }

    private GroupSnapshot share(String group) throws InterruptedException {
        ShareGroupDescription described =
                get(admin.describeShareGroups(List.of(group)).all(), group).get(group);
        List<GroupMember> members = described == null
                ? List.of()
                : described.members().stream().map(GroupReader::shareMember).toList();
        Map<TopicPartition, SharePartitionOffsetInfo> offsets = get(
                admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()))
                        .partitionsToOffsetInfo(group),
                group);
        Map<TopicPartition, Long> next = new HashMap<>();
        members.forEach(member -> member.partitions().forEach(each -> next.put(each, PartitionLag.UNKNOWN)));
        offsets.forEach(
                (partition, info) -> next.put(partition, info == null ? PartitionLag.UNKNOWN : info.startOffset()));
        List<PartitionLag> lag = lag(next, group).stream()
                .map(each -> told(each, offsets.get(each.partition())))
                .toList();
        return new GroupSnapshot(
                group, "share", state(described == null ? null : described.groupState()), members, lag);
    }

    /**
     * Returns the lag that the broker reports, if any. A share group finishes records out of order, so the difference
     * between offsets is too large.
     */
    private static PartitionLag told(PartitionLag lag, @Nullable SharePartitionOffsetInfo info) {
        Optional<Long> count = info == null ? Optional.empty() : info.lag();
        return count.filter(records -> records >= 0)
                .map(records -> new PartitionLag(
                        lag.partition(),
                        lag.committed(),
                        lag.begin(),
                        lag.end(),
                        records,
                        lag.deleted(),
                        lag.time(),
                        lag.whyUnknown()))
                .orElse(lag);
    }

    private static GroupMember shareMember(ShareMemberDescription member) {
        return new GroupMember(
                member.consumerId(),
                member.clientId(),
                host(member.host()),
                Set.copyOf(member.assignment().topicPartitions()));
    }

    /** Removes the slash that brokers write before an address, as in {@code /10.0.0.1}. */
    private static String host(String host) {
        return host.startsWith("/") ? host.substring(1) : host;
    }

    private static String name(GroupType type) {
        return type.toString().toLowerCase(Locale.ROOT);
    }

    private static String state(@Nullable GroupState state) {
        return state == null ? "Unknown" : state.toString();
    }

    private List<PartitionLag> lag(Map<TopicPartition, Long> next, String group) throws InterruptedException {
        Set<TopicPartition> partitions = new TreeSet<>(ORDER);
        partitions.addAll(next.keySet());
        Map<TopicPartition, Long> begins = offsets(partitions, OffsetSpec.earliest(), group);
        Map<TopicPartition, Long> ends = offsets(partitions, OffsetSpec.latest(), group);
        return partitions.stream()
                .map(each -> lag(
                        each,
                        next.getOrDefault(each, PartitionLag.UNKNOWN),
                        begins.getOrDefault(each, PartitionLag.UNKNOWN),
                        ends.getOrDefault(each, PartitionLag.UNKNOWN)))
                .toList();
    }

    private static PartitionLag lag(TopicPartition partition, long next, long begin, long end) {
        if (next < 0 || begin < 0 || end < 0) {
            String why = next < 0 ? NOTHING_COMMITTED : "the brokers report no offsets of this partition";
            return new PartitionLag(partition, next, begin, end, PartitionLag.UNKNOWN, 0, null, why);
        }
        long records = Math.max(0, end - Math.max(next, begin));
        long deleted = Math.max(0, Math.min(begin, end) - next);
        return new PartitionLag(
                partition, next, begin, end, records, deleted, records == 0 ? Duration.ZERO : null, null);
    }

    /** Reads each partition's offset separately, because a partition may have no leader. */
    private Map<TopicPartition, Long> offsets(Set<TopicPartition> partitions, OffsetSpec spec, String group)
            throws InterruptedException {
        var asked = admin.listOffsets(partitions.stream().collect(Collectors.toMap(each -> each, each -> spec)));
        Map<TopicPartition, Long> found = new HashMap<>();
        for (TopicPartition each : partitions) {
            KafkaFuture<ListOffsetsResultInfo> answer = asked.partitionResult(each);
            try {
                found.put(each, get(answer, group).offset());
            } catch (CliFailure unknown) {
                if (answer.isDone()) {
                    continue;
                }
                throw unknown;
            }
        }
        return found;
    }

    private <T> T get(KafkaFuture<T> answer, String group) throws InterruptedException {
        try {
            // The admin client keeps the time limit. It then completes each partition's answer by itself.
            return answer.get(patience.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw CliFailure.work(
                    "no broker answers about group " + group + " within " + patience.toMillis() + " ms",
                    "--connect-timeout waits longer.",
                    e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof GroupIdNotFoundException) {
                throw CliFailure.work("there is no group " + group + " at these brokers", "Check its name.", cause);
            }
            throw CliFailure.work(
                    "the brokers do not describe group " + group + ": " + ClientFault.withCause(cause),
                    "The user needs the right to describe the group and its topics.",
                    cause);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
