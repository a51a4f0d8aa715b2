package dev.weir.lean;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.internals.BrokerSecurityConfigs;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.network.ByteBufferSend;
import org.apache.kafka.common.network.ChannelBuilders;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Selector;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.authenticator.CredentialCache;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.apache.kafka.common.security.token.delegation.internals.DelegationTokenCache;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.internals.LogContext;

/**
 * A scripted broker for any security protocol, built from the official server's classes. It has one topic, by default
 * with one partition. The script runs on the broker's thread.
 */
final class FakeBroker implements AutoCloseable {

    static final String TOPIC = "t";
    static final Uuid TOPIC_ID = Uuid.randomUuid();
    static final String USER = "ada";
    static final String PASSWORD = "lovelace";
    static final int LEADER = 7;
    static final int NEAR = 8;

    private final ServerSocketChannel server = ServerSocketChannel.open();
    private final Selector selector;
    private final Metrics metrics = new Metrics();
    private final Thread thread;
    private final Function<FetchRequestData, ApiMessage> script;
    private volatile boolean closed;
    private volatile int leaderPort;
    private volatile int nearPort;
    private volatile ToLongFunction<ListOffsetsPartition> offsets = wanted -> 0;
    private volatile List<String> topicsAskedFor = List.of();
    private final AtomicInteger metadataAnswers = new AtomicInteger();
    private volatile Uuid topicId = TOPIC_ID;
    private volatile short lastProduceVersion = ApiKeys.PRODUCE.latestVersion();
    private volatile short produceVersion = -1;
    private volatile int partitions = 1;
    private volatile int[] absurd = {};
    private volatile String host = "localhost";
    private volatile Errors topicError = Errors.NONE;
    private volatile int moved = -1;
    private volatile Runnable beforeMetadata = () -> {};
    private volatile Function<ProduceRequestData, ApiMessage> produces = request -> {
        throw new IllegalStateException("no script for produce requests");
    };
    private volatile long nextProducerId = 100;
    private final AtomicInteger accepted = new AtomicInteger();
    private final CredentialCache.Cache<ScramCredential> users;

    /**
     * Starts the broker.
     *
     * @param config the server's configuration for the protocol
     * @param script answers fetches with a {@link FetchResponseData} or any other message
     */
    FakeBroker(SecurityProtocol protocol, Map<String, String> config, Function<FetchRequestData, ApiMessage> script)
            throws Exception {
        this.script = script;
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        CredentialCache credentials = new CredentialCache();
        users = credentials.createCache(ScramMechanism.SCRAM_SHA_256.mechanismName(), ScramCredential.class);
        knowsUser(true);
        selector = new Selector(
                60_000,
                metrics,
                Time.SYSTEM,
                "fake",
                ChannelBuilders.serverChannelBuilder(
                        new ListenerName("L"),
                        false,
                        protocol,
                        new AbstractConfig(BrokerSecurityConfigs.CONFIG_DEF, config, false),
                        credentials,
                        new DelegationTokenCache(List.of()),
                        Time.SYSTEM,
                        new LogContext(),
                        version -> new ApiVersionsResponse(versions())),
                new LogContext());
        thread = Thread.ofPlatform().name("fake-broker").start(this::serve);
    }

    String address() throws IOException {
        return "localhost:" + port();
    }

    void leader(int port) {
        leaderPort = port;
    }

    /** Adds the broker {@link #NEAR} to further metadata responses. */
    void near(int port) {
        nearPort = port;
    }

    /** Sets the answers to queries for the beginning, the end or a time. The default is 0. */
    void offsets(ToLongFunction<ListOffsetsPartition> answer) {
        offsets = answer;
    }

    /** Adds impossible partition numbers to further metadata responses. */
    void absurd(int... numbers) {
        absurd = numbers;
    }

    /** Replaces the topic with another topic of the same name. */
    void topicId(Uuid id) {
        topicId = id;
    }

    void host(String name) {
        host = name;
    }

    void produces(Function<ProduceRequestData, ApiMessage> answer) {
        produces = answer;
    }

    void partitions(int count) {
        partitions = count;
    }

    /** Makes {@link #NEAR} the leader of the partition. */
    void moved(int partition) {
        moved = partition;
    }

    void topicError(Errors error) {
        topicError = error;
    }

    void beforeMetadata(Runnable action) {
        beforeMetadata = action;
    }

    List<String> topicsAskedFor() {
        return topicsAskedFor;
    }

    int metadataAnswers() {
        return metadataAnswers.get();
    }

    /** Sets whether {@link #USER} can authenticate with SCRAM. */
    void knowsUser(boolean knows) throws NoSuchAlgorithmException {
        if (knows) {
            users.put(USER, new ScramFormatter(ScramMechanism.SCRAM_SHA_256).generateCredential(PASSWORD, 4096));
        } else {
            users.remove(USER);
        }
    }

    int connections() {
        return accepted.get();
    }

    /** Sets the last version of a produce request that the broker knows. */
    void lastProduceVersion(short version) {
        lastProduceVersion = version;
    }

    /** Returns the version of the last produce request; -1 before the first one. */
    short produceVersion() {
        return produceVersion;
    }

    int port() throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private void serve() {
        try {
            while (!closed) {
                SocketChannel channel = server.accept();
                if (channel != null) {
                    channel.configureBlocking(false);
                    selector.register("c" + accepted.getAndIncrement(), channel);
                }
                selector.poll(5);
                for (NetworkReceive receive : selector.completedReceives()) {
                    answer(receive);
                }
                selector.clearCompletedReceives();
                selector.clearCompletedSends();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void answer(NetworkReceive receive) throws IOException {
        ByteBuffer payload = receive.payload();
        RequestHeader header = RequestHeader.parse(payload);
        ByteBufferAccessor in = new ByteBufferAccessor(payload);
        short version = header.apiVersion();
        ApiMessage body = switch (header.apiKey()) {
            case API_VERSIONS -> {
                ApiVersionsResponseData versions = versions();
                versions.apiKeys().find(ApiKeys.PRODUCE.id).setMaxVersion(lastProduceVersion);
                yield versions;
            }
            case METADATA -> metadata(new MetadataRequestData(in, version));
            case LIST_OFFSETS -> offsets(new ListOffsetsRequestData(in, version));
            case PRODUCE -> {
                produceVersion = version;
                yield produces.apply(new ProduceRequestData(in, version));
            }
            case INIT_PRODUCER_ID -> {
                long id = nextProducerId;
                nextProducerId = id + 1;
                yield new InitProducerIdResponseData().setProducerId(id).setProducerEpoch((short) 0);
            }
            case FETCH -> script.apply(new FetchRequestData(in, version));
            default -> throw new IOException("request " + header.apiKey());
        };
        ByteBuffer bytes = RequestUtils.serialize(
                new ResponseHeaderData().setCorrelationId(header.correlationId()),
                header.apiKey().responseHeaderVersion(version),
                body,
                version);
        selector.send(new NetworkSend(receive.source(), ByteBufferSend.sizePrefixed(bytes)));
    }

    static ApiVersionsResponseData versions() {
        ApiVersionsResponseData data = new ApiVersionsResponseData();
        for (ApiKeys api : List.of(
                ApiKeys.API_VERSIONS,
                ApiKeys.METADATA,
                ApiKeys.LIST_OFFSETS,
                ApiKeys.FETCH,
                ApiKeys.PRODUCE,
                ApiKeys.INIT_PRODUCER_ID,
                ApiKeys.SASL_HANDSHAKE,
                ApiKeys.SASL_AUTHENTICATE)) {
            data.apiKeys()
                    .add(new ApiVersion()
                            .setApiKey(api.id)
                            .setMinVersion(api.oldestVersion())
                            .setMaxVersion(api.latestVersion()));
        }
        return data;
    }

    private MetadataResponseData metadata(MetadataRequestData request) throws IOException {
        MetadataResponseData data = new MetadataResponseData();
        topicsAskedFor = request.topics().stream()
                .map(MetadataRequestData.MetadataRequestTopic::name)
                .toList();
        metadataAnswers.incrementAndGet();
        beforeMetadata.run();
        data.brokers().add(node(LEADER, leaderPort > 0 ? leaderPort : port()));
        if (nearPort > 0) {
            data.brokers().add(node(NEAR, nearPort));
        }
        Errors error = topicError;
        request.topics()
                .forEach(topic -> data.topics()
                        .add(new MetadataResponseData.MetadataResponseTopic()
                                .setName(topic.name())
                                .setTopicId(topicId)
                                .setErrorCode(error.code())
                                .setPartitions(error == Errors.NONE ? partitions() : List.of())));
        return data;
    }

    private List<MetadataResponseData.MetadataResponsePartition> partitions() {
        return IntStream.concat(IntStream.of(absurd), IntStream.range(0, partitions))
                .mapToObj(number -> new MetadataResponseData.MetadataResponsePartition()
                        .setPartitionIndex(number)
                        .setLeaderId(number == moved ? NEAR : LEADER)
                        .setLeaderEpoch(number == moved ? 2 : 1))
                .toList();
    }

    private MetadataResponseData.MetadataResponseBroker node(int id, int port) {
        return new MetadataResponseData.MetadataResponseBroker()
                .setNodeId(id)
                .setHost(host)
                .setPort(port);
    }

    private ListOffsetsResponseData offsets(ListOffsetsRequestData request) {
        ListOffsetsResponseData data = new ListOffsetsResponseData();
        request.topics()
                .forEach(topic -> data.topics()
                        .add(new ListOffsetsResponseData.ListOffsetsTopicResponse()
                                .setName(topic.name())
                                .setPartitions(topic.partitions().stream()
                                        .map(wanted -> new ListOffsetsResponseData.ListOffsetsPartitionResponse()
                                                .setPartitionIndex(wanted.partitionIndex())
                                                .setOffset(offsets.applyAsLong(wanted)))
                                        .toList())));
        return data;
    }

    @Override
    public void close() throws IOException {
        closed = true;
        selector.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        selector.close();
        metrics.close();
        server.close();
    }
}
