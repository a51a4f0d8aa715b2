package dev.weir.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a cluster: topic ids, leaders, the coordinator, and the outdated view of each broker that is cut off
 * from the controller. Confined to the simulation's thread.
 */
public final class Topics {

    /** A partition's leader and leader epoch, as known to one broker. */
    public record Place(int leader, int epoch) {}

    /** A partition with its log and its leader. */
    public static final class Partition {
        private final Topic topic;
        private final int number;
        private final Log log = new Log();
        private int leader;

        Partition(Topic topic, int number, int leader) {
            this.topic = topic;
            this.number = number;
            this.leader = leader;
        }

        public Topic topic() {
            return topic;
        }

        public int number() {
            return number;
        }

        public Log log() {
            return log;
        }

        public int leader() {
            return leader;
        }

        Place place() {
            return new Place(leader, log.epoch());
        }

        /**
         * Elects a new leader, which has all records.
         *
         * @param broker the new leader; if there is no broker with this ID, the partition has no leader
         */
        public void moveTo(int broker) {
            leader = broker;
            log.elect();
        }

        /** Elects a new leader that does not have the last {@code missing} batches. */
        public void moveUnclean(int broker, int missing) {
            leader = broker;
            log.electUnclean(missing);
        }

        @Override
        public String toString() {
            return topic.name + "-" + number;
        }
    }

    /** A topic with its name and ID. */
    public static final class Topic {
        private final String name;
        private final Uuid id;
        private final List<Partition> partitions = new ArrayList<>();

        Topic(String name, Uuid id) {
            this.name = name;
            this.id = id;
        }

        public String name() {
            return name;
        }

        public Uuid id() {
            return id;
        }

        public List<Partition> partitions() {
            return partitions;
        }
    }

    private record Known(Uuid id, List<Place> places) {}

    private record Belief(long untilNanos, Map<String, Known> topics, int coordinator) {}

    private final Schedule schedule;
    private final int brokers;
    private final Map<String, Topic> topics = new LinkedHashMap<>();
    private final Map<Integer, Belief> beliefs = new HashMap<>();
    private String host = "127.0.0.1";
    private int coordinator = 1;
    private long ids;

    Topics(Schedule schedule, int brokers) {
        this.schedule = schedule;
        this.brokers = brokers;
    }

    void host(String name) {
        host = name;
    }

    /** Returns the number of brokers. Their ids start at 1. */
    public int brokers() {
        return brokers;
    }

    /** Returns the broker that coordinates groups. */
    public int coordinator() {
        return coordinator;
    }

    public void coordinator(int broker) {
        coordinator = broker;
    }

    /** Creates a topic. It replaces an existing topic of the same name. */
    public Topic create(String name, int partitions) {
        Topic created = new Topic(name, new Uuid(7, ++ids));
        topics.put(name, created);
        grow(created, partitions);
        return created;
    }

    /** Adds partitions to a topic. */
    public void grow(Topic topic, int partitions) {
        for (int i = 0; i < partitions; i++) {
            int number = topic.partitions.size();
            topic.partitions.add(new Partition(topic, number, 1 + number % brokers));
        }
    }

    /** Returns the current topic of that name. */
    public Topic topic(String name) {
        return Objects.requireNonNull(topics.get(name), name);
    }

    Collection<Topic> all() {
        return topics.values();
    }

    @Nullable
    Partition find(Uuid id, int partition) {
        return topics.values().stream()
                .filter(each -> each.id.equals(id))
                .findFirst()
                .map(topic -> at(topic, partition))
                .orElse(null);
    }

    @Nullable
    Partition find(String name, int partition) {
        Topic topic = topics.get(name);
        return topic == null ? null : at(topic, partition);
    }

    private static @Nullable Partition at(Topic topic, int partition) {
        return partition < topic.partitions.size() ? topic.partitions.get(partition) : null;
    }

    /** Cuts a broker off from the controller for {@code nanos}. Its metadata is then outdated. */
    public void cutOff(int broker, long nanos) {
        Map<String, Known> known = new HashMap<>();
        topics.values().forEach(topic -> known.put(topic.name, knownOf(topic)));
        beliefs.put(broker, new Belief(schedule.now() + nanos, known, coordinator));
    }

    private static Known knownOf(Topic topic) {
        return new Known(
                topic.id, topic.partitions.stream().map(Partition::place).toList());
    }

    private @Nullable Belief belief(int broker) {
        Belief belief = beliefs.get(broker);
        return belief == null || schedule.now() >= belief.untilNanos ? null : belief;
    }

    /**
     * Returns the leader of a partition according to a broker's metadata, or null if the broker does not know the
     * partition.
     */
    @Nullable
    Place placeOf(Partition partition, int toldBy) {
        Belief belief = belief(toldBy);
        if (belief == null) {
            return partition.place();
        }
        Known known = belief.topics.get(partition.topic.name);
        return known == null || partition.number >= known.places.size() ? null : known.places.get(partition.number);
    }

    MetadataResponseData metadata(int toldBy, MetadataRequestData request) {
        MetadataResponseData answer = new MetadataResponseData();
        for (int node = 1; node <= brokers; node++) {
            answer.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(node)
                            .setHost(host)
                            .setPort(node));
        }
        Belief belief = belief(toldBy);
        List<String> names = request.topics() == null
                ? List.copyOf(topics.keySet())
                : request.topics().stream()
                        .map(MetadataRequestData.MetadataRequestTopic::name)
                        .toList();
        for (String name : names) {
            Topic topic = topics.get(name);
            Known known = belief != null ? belief.topics.get(name) : topic == null ? null : knownOf(topic);
            answer.topics().add(known == null ? unknown(name) : told(name, known));
        }
        return answer;
    }

    private static MetadataResponseTopic unknown(String name) {
        return new MetadataResponseTopic().setName(name).setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    private MetadataResponseTopic told(String name, Known known) {
        MetadataResponseTopic told = new MetadataResponseTopic().setName(name).setTopicId(known.id);
        for (int number = 0; number < known.places.size(); number++) {
            Place place = known.places.get(number);
            boolean isLed = place.leader <= brokers;
            told.partitions()
                    .add(new MetadataResponsePartition()
                            .setPartitionIndex(number)
                            .setErrorCode(isLed ? 0 : Errors.LEADER_NOT_AVAILABLE.code())
                            .setLeaderId(isLed ? place.leader : Log.UNKNOWN)
                            .setLeaderEpoch(place.epoch));
        }
        return told;
    }

    FindCoordinatorResponseData coordinator(int toldBy, List<String> keys) {
        Belief belief = belief(toldBy);
        int node = belief == null ? coordinator : belief.coordinator;
        return new FindCoordinatorResponseData()
                .setCoordinators(keys.stream()
                        .map(key -> new Coordinator()
                                .setKey(key)
                                .setNodeId(node)
                                .setHost(host)
                                .setPort(node))
                        .toList());
    }
}
