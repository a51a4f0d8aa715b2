package dev.weir.kafka.internal.in.commit;

import dev.weir.kafka.internal.in.fetch.LeanConfig;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.lean.LeanException;
import dev.weir.lean.spi.MessageLinks;
import dev.weir.lean.spi.MessageNetwork;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Commits offsets for the client's group member without using the client. Opens its own connections for each attempt.
 * Confined to the owner thread.
 *
 * <p>During a rebalance, the client sends no commits until all members have joined. The coordinator still accepts
 * commits of the last generation during that time ({@code ClassicGroup.validateOffsetCommit} of Kafka 4.4). It refuses
 * a commit for an earlier generation, from an unknown member, or from a member whose {@code group.instance.id} another
 * member has taken over.
 *
 * <p>After a refusal or an unanswered commit, this class makes no further attempt in the generation. After any other
 * failure, it may try again one second later.
 */
public final class DirectCommit implements MemberCommit {

    private static final ConsumerLog LOG = ConsumerLog.of(DirectCommit.class);

    /** Version of the requests that look up a coordinator: the first version with a list of groups. */
    static final short COORDINATOR_VERSION = 4;

    /** Version of the requests sent by {@link #commit}: the first version that weir-lean's connections can encode. */
    static final short COMMIT_VERSION = 8;

    /** The first version that also supports members of the KIP-848 group protocol. */
    static final short MEMBER_VERSION = 9;

    private static final byte GROUP = 0;
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Errors after which no further attempt is made in the same generation. */
    private static final Set<Errors> FOR_GOOD = EnumSet.of(
            Errors.FENCED_INSTANCE_ID,
            Errors.UNKNOWN_MEMBER_ID,
            Errors.ILLEGAL_GENERATION,
            Errors.GROUP_AUTHORIZATION_FAILED,
            Errors.TOPIC_AUTHORIZATION_FAILED);

    private final Consumer<?, ?> client;
    private final Map<String, Object> config;
    private final @Nullable CommitConnection connection;
    private final long pauseNanos;

    /** The member and generation of the last attempt if it failed; otherwise null. */
    private @Nullable ConsumerGroupMetadata refused;

    private boolean forGood;
    private long notBeforeNanos;

    /**
     * Creates an instance that opens connections only during an attempt.
     *
     * @param config the client's configuration
     * @param ordinary whether ordinary commits also bypass the client
     */
    public DirectCommit(Consumer<?, ?> client, Map<String, Object> config, boolean ordinary) {
        this(client, config, ordinary ? new CommitConnection(client, config) : null, PAUSE_NANOS);
    }

    DirectCommit(
            Consumer<?, ?> client, Map<String, Object> config, @Nullable CommitConnection connection, long pauseNanos) {
        this.client = client;
        this.config = new HashMap<>(config);
        this.connection = connection;
        this.pauseNanos = pauseNanos;
    }

    @Override
    public boolean send(
            Map<TopicPartition, OffsetAndMetadata> offsets, java.util.function.Consumer<@Nullable Exception> then) {
        return connection != null && connection.send(offsets, then);
    }

    @Override
    public boolean isUnderWay() {
        return connection != null && connection.isUnderWay();
    }

    @Override
    public void poll() {
        if (connection != null) {
            connection.poll();
        }
    }

    @Override
    public void await(long nanos) {
        if (connection != null) {
            connection.await(nanos);
        }
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
        }
    }

    @Override
    public boolean commit(Map<TopicPartition, OffsetAndMetadata> offsets, long nanos) {
        ConsumerGroupMetadata member = client.groupMetadata();
        if (member.generationId() < 0 || member.memberId().isEmpty()) {
            return false; // not a member: an empty group would accept even an outdated commit
        }
        long now = System.nanoTime();
        boolean again = member.equals(refused);
        if (nanos <= 0 || (again && (forGood || now - notBeforeNanos < 0))) {
            return false;
        }
        forGood = false;
        String why = tryOnce(member, offsets, now + nanos);
        if (why.isEmpty()) {
            refused = null;
            return true;
        }
        refused = member;
        notBeforeNanos = System.nanoTime() + pauseNanos;
        if (!again) {
            LOG.info("no last commit beside the client, which waits for a rebalance: {}", why);
        }
        return false;
    }

    /** Attempts once to commit the offsets. Returns the reason for a failure, or an empty string. */
    private String tryOnce(
            ConsumerGroupMetadata member, Map<TopicPartition, OffsetAndMetadata> offsets, long deadlineNanos) {
        Answer answer = new Answer();
        try (MessageLinks wires = new MessageLinks(LeanConfig.of(config))) {
            InetSocketAddress coordinator = coordinator(wires, member.groupId(), deadlineNanos);
            if (coordinator == null) {
                return "no broker coordinates the group now";
            }
            ask(
                    wires,
                    List.of(coordinator),
                    new CommitRequest().of(member, offsets),
                    COMMIT_VERSION,
                    deadlineNanos,
                    answer);
            return refusal((OffsetCommitResponseData) Objects.requireNonNull(answer.message));
        } catch (KafkaException | LeanException | IllegalArgumentException unanswered) {
            // Make no further attempt after an unanswered commit. It could reach the coordinator after a later commit
            // and restore older offsets.
            forGood = answer.sent;
            return unanswered.toString();
        }
    }

    private @Nullable InetSocketAddress coordinator(MessageLinks wires, String group, long deadlineNanos) {
        Answer answer = new Answer();
        ask(wires, LeanConfig.bootstrap(config), question(group), COORDINATOR_VERSION, deadlineNanos, answer);
        return coordinator((FindCoordinatorResponseData) Objects.requireNonNull(answer.message));
    }

    static FindCoordinatorRequestData question(String group) {
        return new FindCoordinatorRequestData().setKeyType(GROUP).setCoordinatorKeys(List.of(group));
    }

    static @Nullable InetSocketAddress coordinator(FindCoordinatorResponseData found) {
        for (Coordinator each : found.coordinators()) {
            if (each.errorCode() == Errors.NONE.code()) {
                return InetSocketAddress.createUnresolved(each.host(), each.port());
            }
        }
        return null;
    }

    /**
     * Sends a request and waits for the response. Sends it again if the connection is lost; committing twice is
     * harmless.
     */
    private static void ask(
            MessageLinks wires,
            List<InetSocketAddress> addresses,
            ApiMessage request,
            short version,
            long deadlineNanos,
            Answer answer) {
        MessageNetwork.Channel channel = wires.open("last commit", () -> addresses, answer);
        while (answer.message == null) {
            long now = System.nanoTime();
            if (deadlineNanos - now <= 0) {
                throw new TimeoutException("no answer from " + addresses);
            }
            if (!answer.underWay && channel.canSend()) {
                channel.send(request, version);
                answer.underWay = true;
                answer.sent = true;
            }
            if (wires.poll(now) == 0) {
                wires.await(WAIT_NANOS);
            }
        }
    }

    private static final class Answer implements MessageNetwork.Receiver {

        private boolean underWay;
        private boolean sent;
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

    /** Returns the error of a partition that was not committed, or an empty string. */
    private String refusal(OffsetCommitResponseData answer) {
        String refusal = "";
        for (var topic : answer.topics()) {
            for (var partition : topic.partitions()) {
                Errors error = Errors.forCode(partition.errorCode());
                if (error != Errors.NONE) {
                    refusal = topic.name() + "-" + partition.partitionIndex() + ": " + error;
                    forGood |= FOR_GOOD.contains(error);
                }
            }
        }
        return refusal;
    }
}
