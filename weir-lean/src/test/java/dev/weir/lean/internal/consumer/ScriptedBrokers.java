package dev.weir.lean.internal.consumer;

import dev.weir.lean.spi.BrokerNetwork;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.jspecify.annotations.Nullable;

/**
 * Brokers in memory. The test moves the clock, and answers fetch and offset requests. Metadata requests are answered at
 * once. Confined to one thread.
 */
final class ScriptedBrokers implements BrokerNetwork {

    private static final String HOST = "127.0.0.1";
    private static final int FIRST_PORT = 1_000;
    private static final int MOST_REQUEST_BYTES = 64 * 1024;

    /** The clock may start with any number. */
    private static final long ORIGIN_NANOS = -(1L << 60);

    /** A request, and the broker that received it. */
    private record Received(int node, RequestHeader header, ApiMessage body) {}

    private record Key(int node, ApiKeys api) {}

    /** Creates the bytes of a response. */
    private interface Answer {
        ByteBuffer to(Received request);
    }

    /** The calls of {@link #await}, in milliseconds. */
    final List<Long> waits = new ArrayList<>();

    int wakeups;

    /** The nodes to which connections were opened or attempted. */
    final List<Integer> connects = new ArrayList<>();

    /** Nodes that refuse connections. */
    final Set<Integer> unreachable = new HashSet<>();

    private final Map<Integer, Integer> ports = new TreeMap<>();
    private final Map<String, MetadataResponseTopic> topics = new LinkedHashMap<>();
    private final Map<Key, Queue<Answer>> answers = new HashMap<>();
    private final List<Received> received = new ArrayList<>();
    private final List<Connection> connections = new ArrayList<>();
    private long nanos = ORIGIN_NANOS;

    /** Creates brokers. The first one is the bootstrap broker. */
    ScriptedBrokers(int... nodes) {
        for (int node : nodes) {
            ports.put(node, FIRST_PORT + node);
        }
    }

    static String bootstrap(int node) {
        return HOST + ":" + (FIRST_PORT + node);
    }

    /** Gives a broker another port. */
    void move(int node, int by) {
        ports.merge(node, by, Integer::sum);
    }

    /** Sets the leader of each partition of a topic. */
    void topic(String name, Uuid id, int epoch, int... leaders) {
        topics.put(
                name,
                new MetadataResponseTopic()
                        .setName(name)
                        .setTopicId(id)
                        .setPartitions(IntStream.range(0, leaders.length)
                                .mapToObj(number -> new MetadataResponsePartition()
                                        .setPartitionIndex(number)
                                        .setLeaderId(leaders[number])
                                        .setLeaderEpoch(epoch))
                                .toList()));
    }

    void refuse(String name, Errors error) {
        topics.put(name, new MetadataResponseTopic().setName(name).setErrorCode(error.code()));
    }

    /** Answers the broker's earliest unanswered request of the answer's type, or else the next one. */
    void answer(int node, ApiMessage answer) {
        respond(node, ApiKeys.forId(answer.apiKey()), request -> serialized(request, answer));
    }

    /** Answers with a header and bytes that make no sense. */
    void answerMalformed(int node, ApiKeys api) {
        respond(node, api, request -> {
            byte[] bytes = new byte[40];
            Arrays.fill(bytes, (byte) -1);
            return ByteBuffer.wrap(bytes).putInt(0, request.header.correlationId());
        });
    }

    private void respond(int node, ApiKeys api, Answer answer) {
        answers.computeIfAbsent(new Key(node, api), none -> new ArrayDeque<>()).add(answer);
        connections.forEach(Connection::answer);
    }

    /** Closes all connections of a broker. */
    void lose(int node) {
        connections.stream().filter(each -> each.node == node).forEach(each -> each.lost = true);
    }

    /** Returns the broker's requests since the last call, and forgets them. */
    List<ApiMessage> received(int node, ApiKeys api) {
        List<Received> taken = received.stream()
                .filter(each -> each.node == node && each.header.apiKey() == api)
                .toList();
        received.removeAll(taken);
        return taken.stream().map(Received::body).toList();
    }

    /** Returns the number of metadata requests since the last call. */
    int metadataRequests() {
        return ports.keySet().stream()
                .mapToInt(node -> received(node, ApiKeys.METADATA).size())
                .sum();
    }

    long openConnections() {
        return connections.stream().filter(Connection::isOpen).count();
    }

    void pass(long newNanos) {
        nanos += newNanos;
    }

    // ---- Network ---------------------------------------------------------------------------------------------------

    @Override
    public ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException {
        int node = ports.entrySet().stream()
                .filter(each -> each.getValue() == address.getPort())
                .findAny()
                .orElseThrow(() -> new IOException("nobody listens at " + address))
                .getKey();
        connects.add(node);
        if (unreachable.contains(node)) {
            throw new IOException("refused by " + node);
        }
        Connection connection = new Connection(node);
        connections.add(connection);
        return connection;
    }

    @Override
    public void await(long millis) {
        waits.add(millis);
    }

    @Override
    public void wakeup() {
        wakeups++;
    }

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public long nextSeed() {
        return 7;
    }

    private final class Connection implements ByteChannel {

        private final int node;
        private final ByteBuffer incoming = ByteBuffer.allocate(MOST_REQUEST_BYTES);
        private final Queue<Received> unanswered = new ArrayDeque<>();
        private final Queue<ByteBuffer> outgoing = new ArrayDeque<>();
        private boolean lost;
        private boolean closed;

        private Connection(int node) {
            this.node = node;
        }

        @Override
        public int write(ByteBuffer from) throws IOException {
            if (closed || lost) {
                throw new ClosedChannelException();
            }
            int written = from.remaining();
            incoming.put(from).flip();
            while (incoming.remaining() > Integer.BYTES
                    && incoming.remaining() >= Integer.BYTES + incoming.getInt(incoming.position())) {
                int size = incoming.getInt();
                receive(incoming.slice(incoming.position(), size));
                incoming.position(incoming.position() + size);
            }
            incoming.compact();
            answer();
            return written;
        }

        private void receive(ByteBuffer bytes) {
            RequestHeader header = RequestHeader.parse(bytes);
            ApiMessage body = header.apiKey().messageType.newRequest();
            body.read(new ByteBufferAccessor(bytes), header.apiVersion());
            Received request = new Received(node, header, body);
            received.add(request);
            unanswered.add(request);
        }

        private void answer() {
            Received next;
            while ((next = unanswered.peek()) != null) {
                Answer answer = answerTo(next);
                if (answer == null) {
                    return;
                }
                ByteBuffer bytes = answer.to(next);
                unanswered.remove();
                outgoing.add(ByteBuffer.allocate(Integer.BYTES + bytes.remaining())
                        .putInt(bytes.remaining())
                        .put(bytes)
                        .flip());
            }
        }

        private @Nullable Answer answerTo(Received request) {
            ApiKeys api = request.header.apiKey();
            Queue<Answer> scripted = answers.get(new Key(node, api));
            if (scripted != null && !scripted.isEmpty()) {
                return scripted.remove();
            }
            return switch (api) {
                case API_VERSIONS -> each -> serialized(each, versions());
                case METADATA -> each -> serialized(each, metadata((MetadataRequestData) each.body));
                default -> null;
            };
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            if (closed) {
                throw new ClosedChannelException();
            }
            ByteBuffer from = outgoing.peek();
            if (lost || from == null) {
                return lost ? -1 : 0;
            }
            int bytes = Math.min(from.remaining(), to.remaining());
            to.put(to.position(), from, from.position(), bytes).position(to.position() + bytes);
            from.position(from.position() + bytes);
            if (!from.hasRemaining()) {
                outgoing.remove();
            }
            return bytes;
        }

        @Override
        public boolean isOpen() {
            return !closed;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static ByteBuffer serialized(Received request, ApiMessage answer) {
        return RequestUtils.serialize(
                new ResponseHeaderData().setCorrelationId(request.header.correlationId()),
                request.header.apiKey().responseHeaderVersion(request.header.apiVersion()),
                answer,
                request.header.apiVersion());
    }

    private static ApiVersionsResponseData versions() {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        for (ApiKeys api : List.of(ApiKeys.API_VERSIONS, ApiKeys.METADATA, ApiKeys.LIST_OFFSETS, ApiKeys.FETCH)) {
            data.apiKeys()
                    .add(new ApiVersion()
                            .setApiKey(api.id)
                            .setMinVersion(api.oldestVersion())
                            .setMaxVersion(api.latestVersion()));
        }
        return data;
    }

    private MetadataResponseData metadata(MetadataRequestData request) {
        MetadataResponseData data = new MetadataResponseData();
        ports.forEach((node, port) -> data.brokers()
                .add(new MetadataResponseBroker().setNodeId(node).setHost(HOST).setPort(port)));
        for (MetadataRequestData.MetadataRequestTopic wanted : request.topics()) {
            MetadataResponseTopic topic = topics.get(wanted.name());
            data.topics()
                    .add(
                            topic == null
                                    ? new MetadataResponseTopic()
                                            .setName(wanted.name())
                                            .setErrorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code())
                                    : topic.duplicate());
        }
        return data;
    }
}
