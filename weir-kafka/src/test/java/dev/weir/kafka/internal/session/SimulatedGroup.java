package dev.weir.kafka.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData.AcknowledgementBatch;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchPartition;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.message.ShareFetchResponseData.ShareFetchableTopicResponse;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Three brokers with a share group, in simulated time: they lend, lock, check owners and epochs, lose sessions and
 * connections, and move leaders as the seed wills. Confined to the test's thread.
 */
final class SimulatedGroup {

    static final int BROKERS = 3;
    private static final long MILLI = 1_000_000;
    private static final long LONGEST_STEP_NANOS = 100 * MILLI;

    private record Event(long at, long order, Runnable action) {}

    /** A broker's end of a session. */
    private static final class Remote {
        private int epoch;
        private final List<TopicIdPartition> partitions = new ArrayList<>();
    }

    /** Whose session at which broker. */
    private record Seat(String member, int node) {}

    final List<SimulatedPartition> partitions = new ArrayList<>();
    private Uuid topic = SimulatedPartition.TOPIC;
    long now = 1_000 * MILLI;
    int largestRequest;
    int invalidRequests;
    int wrongLeaders;
    int emptyFetches;
    int requests;
    int answers;

    /** Answers with more records than that are thrown away after they were lent. */
    int quotaRecords = Integer.MAX_VALUE;

    int emptiedAnswers;

    /** What a broker says to fetches of a partition that it does not lead. */
    Errors leadsNot = Errors.NOT_LEADER_OR_FOLLOWER;

    /** Records that a RELEASE took from those who work on them: it was meant for an earlier lock. */
    int wronglyReleased;

    /** Records that a member has accepted which it has not done. */
    int wronglyAccepted;

    /** Acknowledgements of records that are lent to another member. */
    int strangers;

    /** The connection to the coordinator breaks while it tells of so many further assignments. */
    int assignmentsCutOff;

    private Errors toldError = Errors.NONE;
    private long toldErrorUntil;

    /** The broker that coordinates the group. */
    int coordinatorNode = 1;

    /** True if brokers say who leads the partitions that they do not lead. */
    boolean hints;

    /** True if they know that even if they are behind in all else. */
    boolean hintsAreNews;

    /** Questions for leaders and coordinators, by the broker that was asked. */
    final int[] asked = new int[BROKERS + 1];

    /** The broker that was asked last. */
    int lastAsked;

    /** Heartbeats that a broker took as the coordinator. */
    final int[] beats = new int[BROKERS + 1];

    /** Connections that were made to ask on. */
    int askerConnections;

    /** What a broker knows that hears nothing of the controllers. */
    private record Memory(long until, Uuid topic, Map<Integer, Place> leaders, int coordinator) {}

    private record Place(int leader, int epoch) {}

    private final Map<Integer, Memory> behind = new HashMap<>();
    private final Random random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>((a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.order, b.order));
    private final List<SimulatedHost> hosts = new ArrayList<>();
    private final Map<Seat, Remote> remotes = new HashMap<>();
    private final SimulatedCoordinator coordinator;
    private long order;
    private boolean faults;

    SimulatedGroup(Random random, int partitionCount, int records) {
        this.random = random;
        this.coordinator = new SimulatedCoordinator(partitionCount);
        for (int i = 0; i < partitionCount; i++) {
            partitions.add(new SimulatedPartition(i, 1 + i % BROKERS, records));
        }
    }

    /** The process of another member. */
    SimulatedHost host(String member, SimulatedWork work) {
        SimulatedHost host = new SimulatedHost(member, this, work);
        hosts.add(host);
        return host;
    }

    void at(long when, Runnable action) {
        events.add(new Event(when, order++, action));
    }

    /** Goes on to the next event, or for so long if there is none before. */
    void advance(long most) {
        long until = now + most;
        Event next = events.peek();
        now = next == null || next.at > until ? until : Math.max(now, next.at);
        partitions.forEach(each -> each.expire(now));
        while (!events.isEmpty() && events.peek().at <= now) {
            events.poll().action.run();
        }
    }

    /** Each member that does not stand still does what is due, and time goes on. */
    void step() {
        long wait = LONGEST_STEP_NANOS;
        for (SimulatedHost host : hosts) {
            if (!host.isFrozen()) {
                wait = Math.min(wait, host.work().turn(now));
            }
        }
        advance(wait);
    }

    /** The member is gone without a word. */
    void kill(String member) {
        SimulatedHost host = named(member);
        host.kill();
        hosts.remove(host);
    }

    /** The member stands still for so long. */
    void freeze(String member, long nanos) {
        named(member).freeze(nanos);
    }

    private SimulatedHost named(String member) {
        return hosts.stream()
                .filter(each -> each.member.equals(member))
                .findFirst()
                .orElseThrow();
    }

    void faults(boolean on) {
        faults = on;
        partitions.forEach(each -> each.deliveryLimit = on ? Short.MAX_VALUE : each.deliveryLimit);
    }

    /** Something goes wrong. */
    void fault() {
        int node = 1 + random.nextInt(BROKERS);
        SimulatedHost host = hosts.get(random.nextInt(hosts.size()));
        switch (random.nextInt(6)) {
            case 0 -> remotes.remove(new Seat(host.member, node));
            case 1 -> host.cut("broker " + node);
            case 2 -> host.cut("coordinator");
            case 3 -> host.freeze((500 + random.nextInt(2 * SimulatedPartition.LOCK_MILLIS)) * MILLI);
            case 4 -> cutOff(node, (long) Math.pow(10, random.nextInt(4)) * 100 * MILLI);
            default -> partitions.get(random.nextInt(partitions.size())).moveTo(node);
        }
    }

    /** With a connection its broker ends the session, and the locks that were made on it. */
    void disconnected(String member, int node) {
        remotes.remove(new Seat(member, node));
        partitions.stream().filter(each -> each.leader == node).forEach(each -> each.releaseAll(member));
    }

    /** For so long, acknowledgements change nothing and are answered so. */
    void refuseAcknowledgements(Errors error, long nanos) {
        toldError = error;
        toldErrorUntil = now + nanos;
    }

    /** From now on locks are made for so long. */
    void lockFor(int millis) {
        partitions.forEach(each -> each.lockMillis = millis);
    }

    /** A broker hears nothing of the controllers for so long, and goes on answering with what it knew. */
    void cutOff(int node, long nanos) {
        Map<Integer, Place> leaders = new HashMap<>();
        partitions.forEach(each -> leaders.put(each.number, new Place(each.leader, each.leaderEpoch)));
        behind.put(node, new Memory(now + nanos, topic, leaders, coordinatorNode));
    }

    /** A leader moves, and no broker knows it for so long. */
    void moveUnseen(int partition, long nanos) {
        for (int node = 1; node <= BROKERS; node++) {
            cutOff(node, nanos);
        }
        move(partition);
    }

    /** A leader moves to the next broker. */
    void move(int partition) {
        SimulatedPartition moving = partitions.get(partition);
        moving.moveTo(moving.leader % BROKERS + 1);
    }

    /** The topic is deleted, and created again with so many records in each partition. */
    void recreateTopic(int records) {
        topic = Uuid.randomUuid();
        partitions.replaceAll(each -> new SimulatedPartition(each.number, each.leader, records));
        coordinator.recreate(topic);
    }

    private TopicIdPartition partition(Uuid of, int number) {
        return new TopicIdPartition(of, number, "topic");
    }

    private @Nullable Memory memory(int node) {
        Memory memory = behind.get(node);
        return memory == null || now >= memory.until ? null : memory;
    }

    private Place place(SimulatedPartition partition, int toldBy) {
        Memory memory = memory(toldBy);
        return memory == null
                ? new Place(partition.leader, partition.leaderEpoch)
                : Objects.requireNonNull(memory.leaders.get(partition.number));
    }

    boolean hasSessions() {
        return !remotes.isEmpty();
    }

    /** What a broker takes for an answer to the request that it was asked last. */
    long delay(ApiMessage request) {
        long least = request instanceof ShareFetchRequestData fetch && lastFetchWasEmpty ? fetch.maxWaitMs() : 1;
        long slow = faults && random.nextInt(50) == 0 ? 1_200 : 0;
        return (least + slow + random.nextInt(4)) * MILLI;
    }

    private boolean lastFetchWasEmpty;

    ApiMessage answer(SimulatedHost host, int node, ApiMessage request) {
        lastFetchWasEmpty = false;
        return switch (request) {
            case FindCoordinatorRequestData ignored -> coordinator(node);
            case MetadataRequestData ignored -> metadata(node);
            case ShareGroupHeartbeatRequestData beat -> beat(host, node, beat);
            case ShareFetchRequestData fetch -> fetch(host, node, fetch);
            case ShareAcknowledgeRequestData told -> acknowledge(host, node, told);
            default -> throw new IllegalStateException("unexpected: " + request);
        };
    }

    private FindCoordinatorResponseData coordinator(int toldBy) {
        asked[toldBy]++;
        lastAsked = toldBy;
        Memory memory = memory(toldBy);
        int node = memory == null ? coordinatorNode : memory.coordinator;
        return new FindCoordinatorResponseData()
                .setCoordinators(List.of(new FindCoordinatorResponseData.Coordinator()
                        .setKey("group")
                        .setNodeId(node)
                        .setHost("b" + node)
                        .setPort(node)));
    }

    private MetadataResponseData metadata(int toldBy) {
        asked[toldBy]++;
        lastAsked = toldBy;
        MetadataResponseData answer = new MetadataResponseData();
        for (int node = 1; node <= BROKERS; node++) {
            answer.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(node)
                            .setHost("b" + node)
                            .setPort(node));
        }
        Memory memory = memory(toldBy);
        MetadataResponseTopic told =
                new MetadataResponseTopic().setName("topic").setTopicId(memory == null ? topic : memory.topic);
        partitions.forEach(each -> told.partitions()
                .add(new MetadataResponsePartition()
                        .setPartitionIndex(each.number)
                        .setLeaderId(place(each, toldBy).leader)
                        .setLeaderEpoch(place(each, toldBy).epoch)));
        answer.topics().add(told);
        return answer;
    }

    private ShareGroupHeartbeatResponseData beat(SimulatedHost host, int node, ShareGroupHeartbeatRequestData beat) {
        if (node != coordinatorNode) {
            return new ShareGroupHeartbeatResponseData().setErrorCode(Errors.NOT_COORDINATOR.code());
        }
        beats[node]++;
        ShareGroupHeartbeatResponseData answer = coordinator.beat(beat, now, () -> {
            if (assignmentsCutOff > 0) {
                assignmentsCutOff--;
                at(now + MILLI / 2, () -> host.cut("coordinator"));
            }
        });
        if (faults && random.nextInt(10) == 0) {
            coordinator.forget(host.member);
        }
        return answer;
    }

    private Errors session(Seat seat, int epoch, boolean mayOpen) {
        Remote remote = remotes.get(seat);
        if (epoch == 0) {
            assertThat(mayOpen)
                    .as("a session is opened by a fetch without acknowledgements")
                    .isTrue();
            remotes.put(seat, new Remote());
            return Errors.NONE;
        }
        if (remote == null) {
            return Errors.SHARE_SESSION_NOT_FOUND;
        }
        if (epoch == -1) {
            return Errors.NONE;
        }
        return epoch == ++remote.epoch ? Errors.NONE : Errors.INVALID_SHARE_SESSION_EPOCH;
    }

    private static boolean isBare(ShareFetchRequestData fetch) {
        return fetch.topics().stream()
                .allMatch(topic -> topic.partitions().stream()
                        .allMatch(each -> each.acknowledgementBatches().isEmpty()));
    }

    private static List<AcknowledgementBatch> batches(FetchPartition of) {
        return of.acknowledgementBatches().stream()
                .map(batch -> new AcknowledgementBatch()
                        .setFirstOffset(batch.firstOffset())
                        .setLastOffset(batch.lastOffset())
                        .setAcknowledgeTypes(batch.acknowledgeTypes()))
                .toList();
    }

    private ShareFetchResponseData fetch(SimulatedHost host, int node, ShareFetchRequestData fetch) {
        assertThat(fetch.memberId()).isEqualTo(host.member);
        Seat seat = new Seat(host.member, node);
        largestRequest = Math.max(largestRequest, fetch.maxRecords());
        ShareFetchResponseData answer =
                new ShareFetchResponseData().setAcquisitionLockTimeoutMs(partitions.getFirst().lockMillis);
        Errors error = session(seat, fetch.shareSessionEpoch(), isBare(fetch));
        if (error != Errors.NONE) {
            return answer.setErrorCode(error.code());
        }
        Remote remote = Objects.requireNonNull(remotes.get(seat));
        Map<TopicIdPartition, PartitionData> data = new LinkedHashMap<>();
        fetch.topics()
                .forEach(listed -> listed.partitions().forEach(each -> {
                    TopicIdPartition id = partition(listed.topicId(), each.partitionIndex());
                    if (!remote.partitions.contains(id)) {
                        remote.partitions.add(id);
                    }
                    if (!each.acknowledgementBatches().isEmpty()) {
                        data.put(
                                id,
                                new PartitionData()
                                        .setPartitionIndex(each.partitionIndex())
                                        .setAcknowledgeErrorCode(tell(host, node, id, batches(each))
                                                .code()));
                    }
                }));
        fetch.forgottenTopicsData()
                .forEach(forgotten -> forgotten
                        .partitions()
                        .forEach(number -> remote.partitions.remove(partition(forgotten.topicId(), number))));
        Map<TopicIdPartition, PartitionData> told = new LinkedHashMap<>();
        data.forEach((id, each) -> told.put(id, each.duplicate()));
        int left = fetch.maxRecords();
        for (TopicIdPartition id : remote.partitions) {
            PartitionData acknowledged = data.get(id);
            short toldError = acknowledged == null ? 0 : acknowledged.acknowledgeErrorCode();
            PartitionData lent = lend(host, node, id, left);
            for (var range : lent.acquiredRecords()) {
                left -= (int) (range.lastOffset() - range.firstOffset() + 1);
            }
            data.put(id, lent.setAcknowledgeErrorCode(toldError));
        }
        lastFetchWasEmpty = left == fetch.maxRecords();
        emptyFetches += lastFetchWasEmpty ? 1 : 0;
        boolean overQuota = fetch.maxRecords() - left > quotaRecords;
        if (overQuota) {
            // What became of the acknowledgements is put into the answer after the quota has emptied it.
            answer = new ShareFetchResponseData().setThrottleTimeMs(100);
            emptiedAnswers++;
        }
        addTo(answer, overQuota ? told : data);
        return answer;
    }

    private static void addTo(ShareFetchResponseData answer, Map<TopicIdPartition, PartitionData> data) {
        data.forEach((id, partition) -> {
            ShareFetchableTopicResponse topic = answer.responses().find(id.topicId());
            if (topic == null) {
                topic = new ShareFetchableTopicResponse().setTopicId(id.topicId());
                answer.responses().add(topic);
            }
            topic.partitions().add(partition);
        });
    }

    private PartitionData lend(SimulatedHost host, int node, TopicIdPartition id, int most) {
        PartitionData refusal = new PartitionData().setPartitionIndex(id.partition());
        if (!id.topicId().equals(topic)) {
            return refusal.setErrorCode(Errors.UNKNOWN_TOPIC_ID.code());
        }
        SimulatedPartition partition = partitions.get(id.partition());
        if (partition.leader != node) {
            wrongLeaders++;
            return refusal.setErrorCode(leadsNot.code()).setCurrentLeader(hint(partition, node));
        }
        return partition.lend(host.member, most, now);
    }

    /** What a broker that does not lead a partition says of its leader. */
    private ShareFetchResponseData.LeaderIdAndEpoch hint(SimulatedPartition partition, int toldBy) {
        Place place = hintsAreNews ? new Place(partition.leader, partition.leaderEpoch) : place(partition, toldBy);
        boolean says = hints && place.leader != toldBy;
        return new ShareFetchResponseData.LeaderIdAndEpoch()
                .setLeaderId(says ? place.leader : -1)
                .setLeaderEpoch(says ? place.epoch : -1);
    }

    private static ShareAcknowledgeResponseData.LeaderIdAndEpoch told(ShareFetchResponseData.LeaderIdAndEpoch hint) {
        return new ShareAcknowledgeResponseData.LeaderIdAndEpoch()
                .setLeaderId(hint.leaderId())
                .setLeaderEpoch(hint.leaderEpoch());
    }

    private Errors tell(SimulatedHost host, int node, TopicIdPartition id, List<AcknowledgementBatch> batches) {
        if (!id.topicId().equals(topic)) {
            return Errors.UNKNOWN_TOPIC_ID;
        }
        int number = id.partition();
        if (now < toldErrorUntil) {
            return toldError;
        }
        SimulatedPartition partition = partitions.get(number);
        strangers += partition.leader == node && partition.isAnothers(host.member, batches) ? 1 : 0;
        Errors error = partition.leader == node
                ? partition.acknowledge(host.member, batches, now)
                : Errors.NOT_LEADER_OR_FOLLOWER;
        if (error == Errors.NONE) {
            SimulatedWork work = host.work();
            wronglyReleased += count(batches, Ack.RELEASE, offset -> work.isOpen(number, offset));
            wronglyAccepted += count(batches, Ack.ACCEPT, offset -> !work.isDone(number, offset));
        }
        invalidRequests += error == Errors.INVALID_REQUEST ? 1 : 0;
        return error;
    }

    private static int count(List<AcknowledgementBatch> batches, byte type, LongPredicate test) {
        return batches.stream()
                .filter(batch -> batch.acknowledgeTypes().contains(type))
                .mapToInt(batch -> (int) LongStream.rangeClosed(batch.firstOffset(), batch.lastOffset())
                        .filter(test)
                        .count())
                .sum();
    }

    private ShareAcknowledgeResponseData acknowledge(
            SimulatedHost host, int node, ShareAcknowledgeRequestData request) {
        assertThat(request.memberId()).isEqualTo(host.member);
        Seat seat = new Seat(host.member, node);
        ShareAcknowledgeResponseData answer =
                new ShareAcknowledgeResponseData().setAcquisitionLockTimeoutMs(partitions.getFirst().lockMillis);
        Errors error = session(seat, request.shareSessionEpoch(), false);
        if (error != Errors.NONE) {
            return answer.setErrorCode(error.code());
        }
        request.topics().forEach(of -> {
            var told = new ShareAcknowledgeResponseData.ShareAcknowledgeTopicResponse().setTopicId(of.topicId());
            of.partitions().forEach(each -> {
                boolean renews = each.acknowledgementBatches().stream()
                        .anyMatch(batch -> batch.acknowledgeTypes().contains(Ack.RENEW));
                assertThat(request.isRenewAck() || !renews).isTrue();
                TopicIdPartition id = partition(of.topicId(), each.partitionIndex());
                told.partitions()
                        .add(new ShareAcknowledgeResponseData.PartitionData()
                                .setPartitionIndex(each.partitionIndex())
                                .setErrorCode(tell(host, node, id, each.acknowledgementBatches())
                                        .code())
                                .setCurrentLeader(told(hint(partitions.get(each.partitionIndex()), node))));
            });
            answer.responses().add(told);
        });
        if (request.shareSessionEpoch() == -1) {
            disconnected(host.member, node);
        }
        return answer;
    }
}
