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
 * Commits offsets on behalf of the client's group member, in the generation that the client last joined. Opens its own
 * connections for each attempt. Confined to the owner thread.
 *
 * <p>A client that has asked to join the next generation sends no commits until all members have joined. The
 * coordinator still accepts commits for the last generation during that time ({@code ClassicGroup.validateOffsetCommit}
 * of Kafka 4.4). It refuses a commit for an earlier generation, from an unknown member, or from a member whose
 * {@code group.instance.id} another member has taken over.
 *
 * <p>After such a refusal, or if the client is not authorized to commit, no further attempt is made in this generation.
 * The same applies after an unanswered commit, because it may still reach the coordinator. After any other failure, the
 * next attempt can be made one second later.
 */
public final class DirectCommit implements MemberCommit {

    private static final ConsumerLog LOG = ConsumerLog.of(DirectCommit.class);

    /**
     * Version of the requests that look up a coordinator. This is the first version with a list of groups, and even the
     * oldest broker supported by weir-lean accepts it.
     */
    static final short COORDINATOR_VERSION = 4;

    /**
     * Version of the requests sent by {@link #commit}. This is the first version that weir-lean's connections can
     * encode. Later versions are needed only for other group protocols.
     */
    static final short COMMIT_VERSION = 8;

    /** The first version that accepts members of the KIP-848 group protocol as well as classic members. */
    static final short MEMBER_VERSION = 9;

    private static final byte GROUP = 0;
    private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Pause between two attempts of a member in the same generation. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Errors that every further attempt in the same generation would cause again. */
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

    /** The member and generation of the last attempt, if it failed; null if it succeeded. */
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

    /** @param pauseNanos pause between two attempts of a member in the same generation */
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

    /**
     * Makes a single attempt to commit the offsets. Returns the reason for a failure; an empty string if all offsets
     * were committed.
     */
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
            // If the commit was sent but not answered, make no further attempt. The unanswered commit could reach the
            // coordinator after a later commit and restore older offsets.
            forGood = answer.sent;
            return unanswered.toString();
        }
    }

    private @Nullable InetSocketAddress coordinator(MessageLinks wires, String group, long deadlineNanos) {
        Answer answer = new Answer();
        ask(wires, LeanConfig.bootstrap(config), question(group), COORDINATOR_VERSION, deadlineNanos, answer);
        return coordinator((FindCoordinatorResponseData) Objects.requireNonNull(answer.message));
    }

    /** Returns the request that looks up a group's coordinator. */
    static FindCoordinatorRequestData question(String group) {
        return new FindCoordinatorRequestData().setKeyType(GROUP).setCoordinatorKeys(List.of(group));
    }

    /** Returns the coordinator's address; null if there is currently no coordinator. */
    static @Nullable InetSocketAddress coordinator(FindCoordinatorResponseData found) {
        for (Coordinator each : found.coordinators()) {
            if (each.errorCode() == Errors.NONE.code()) {
                return InetSocketAddress.createUnresolved(each.host(), each.port());
            }
        }
        return null;
    }

    /**
     * Sends a request and waits for the response. If the connection is lost, sends the request again. It does no harm
     * if the coordinator commits the same offsets twice.
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

    /** Returns the error of a partition that was not committed; an empty string if there was no error. */
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
