package dev.weir.kafka.internal.commit;

import dev.weir.kafka.internal.fetch.LeanConfig;
import dev.weir.kafka.internal.lookup.ConsumerLog;
import dev.weir.kafka.internal.session.Network;
import dev.weir.kafka.internal.session.Wires;
import dev.weir.lean.LeanException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Commits over connections of its own, which it makes for each commit, as the member of the generation that the client joined
 * last. Confined to the owner thread.
 *
 * <p>A client that has asked to join the next generation sends no commit until all members have. The coordinator takes one
 * until then ({@code ClassicGroup.validateOffsetCommit} of Kafka 4.4), and it alone decides: it refuses a generation that is
 * over, a member that it does not know, and one whose {@code group.instance.id} another one has taken.
 */
public final class DirectCommit implements MemberCommit {

    private static final ConsumerLog LOG = ConsumerLog.of(DirectCommit.class);

    /** The first that asks for several groups, and the only one that weir-lean's oldest broker needs. */
    private static final short COORDINATOR_VERSION = 4;

    /** The first that weir-lean's connections can write; later ones are for other group protocols. */
    private static final short COMMIT_VERSION = 8;

    private static final byte GROUP = 0;
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Consumer<?, ?> client;
    private final Map<String, Object> config;

    /**
     * Connects to nobody yet.
     *
     * @param config what the client was made with
     */
    public DirectCommit(Consumer<?, ?> client, Map<String, Object> config) {
        this.client = client;
        this.config = new HashMap<>(config);
    }

    @Override
    public boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos) {
        ConsumerGroupMetadata member = client.groupMetadata();
        if (member.generationId() < 0 || member.memberId().isEmpty()) {
            return false; // Nobody's: an empty group would take it from anybody.
        }
        long deadlineNanos = System.nanoTime() + nanos;
        try (Wires wires = new Wires(LeanConfig.of(config))) {
            InetSocketAddress coordinator = coordinator(wires, member.groupId(), deadlineNanos);
            return coordinator != null
                    && isTaken((OffsetCommitResponseData)
                            ask(wires, List.of(coordinator), request(member, offsets), COMMIT_VERSION, deadlineNanos));
        } catch (KafkaException | LeanException | IllegalArgumentException unsent) {
            LOG.debug("no commit beside the client: {}", unsent.toString());
            return false;
        }
    }

    private @Nullable InetSocketAddress coordinator(Wires wires, String group, long deadlineNanos) {
        FindCoordinatorRequestData question =
                new FindCoordinatorRequestData().setKeyType(GROUP).setCoordinatorKeys(List.of(group));
        var answer = (FindCoordinatorResponseData)
                ask(wires, LeanConfig.bootstrap(config), question, COORDINATOR_VERSION, deadlineNanos);
        for (Coordinator each : answer.coordinators()) {
            if (each.errorCode() == Errors.NONE.code()) {
                return InetSocketAddress.createUnresolved(each.host(), each.port());
            }
        }
        return null;
    }

    private static OffsetCommitRequestData request(
            ConsumerGroupMetadata member, Map<TopicPartition, OffsetAndMetadata> offsets) {
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId(member.groupId())
                .setGenerationIdOrMemberEpoch(member.generationId())
                .setMemberId(member.memberId())
                .setGroupInstanceId(member.groupInstanceId().orElse(null));
        offsets.forEach((id, offset) -> {
            OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic().setName(id.topic());
            topic.partitions()
                    .add(new OffsetCommitRequestPartition()
                            .setPartitionIndex(id.partition())
                            .setCommittedOffset(offset.offset())
                            .setCommittedLeaderEpoch(offset.leaderEpoch().orElse(-1))
                            .setCommittedMetadata(offset.metadata()));
            request.topics().add(topic);
        });
        return request;
    }

    /** Sends a request until it is answered: to commit the same twice does no harm. */
    private static ApiMessage ask(
            Wires wires, List<InetSocketAddress> addresses, ApiMessage request, short version, long deadlineNanos) {
        Answer answer = new Answer();
        Network.Channel channel = wires.open("last commit", () -> addresses, answer);
        while (true) {
            ApiMessage came = answer.message;
            if (came != null) {
                return came;
            }
            long now = System.nanoTime();
            if (deadlineNanos - now <= 0) {
                throw new TimeoutException("no answer from " + addresses);
            }
            if (!answer.underWay && channel.canSend()) {
                channel.send(request, version);
                answer.underWay = true;
            }
            if (wires.poll(now) == 0) {
                wires.await(Math.min(WAIT_NANOS, deadlineNanos - now));
            }
        }
    }

    private static final class Answer implements Network.Receiver {

        private boolean underWay;
        private @Nullable ApiMessage message;

        @Override
        public void answered(ApiMessage answer) {
            message = answer;
        }

        @Override
        public void lost(String why) {
            underWay = false;
        }
    }

    /** Whether every partition was committed. */
    private static boolean isTaken(OffsetCommitResponseData answer) {
        boolean taken = true;
        for (var topic : answer.topics()) {
            for (var partition : topic.partitions()) {
                Errors error = Errors.forCode(partition.errorCode());
                if (error != Errors.NONE) {
                    taken = false;
                    LOG.debug("commit of {}-{} refused: {}", topic.name(), partition.partitionIndex(), error);
                }
            }
        }
        return taken;
    }
}
