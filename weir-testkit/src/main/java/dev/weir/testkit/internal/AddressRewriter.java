package dev.weir.testkit.internal;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.ResponseHeader;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites the responses on one connection: replaces the brokers' addresses with a proxy network's ports, and some
 * responses with rare ones. One thread handles requests, and another handles responses.
 */
final class AddressRewriter {

    private static final String HOST = "127.0.0.1";

    private record Asked(ApiKeys api, short version) {}

    private final ProxyNetwork network;
    private final Map<Integer, Asked> asked = new ConcurrentHashMap<>();

    AddressRewriter(ProxyNetwork network) {
        this.network = network;
    }

    /** Remembers a request and returns it unchanged. */
    byte[] request(byte[] message) {
        ByteBuffer header = ByteBuffer.wrap(message);
        short key = header.getShort();
        short version = header.getShort();
        if (ApiKeys.hasId(key)) {
            ApiKeys api = ApiKeys.forId(key);
            switch (api) {
                case METADATA,
                        FIND_COORDINATOR,
                        DESCRIBE_CLUSTER,
                        FETCH,
                        PRODUCE,
                        SHARE_FETCH,
                        SHARE_ACKNOWLEDGE,
                        OFFSET_COMMIT,
                        HEARTBEAT,
                        CONSUMER_GROUP_HEARTBEAT,
                        TXN_OFFSET_COMMIT -> asked.put(header.getInt(), new Asked(api, version));
                default -> {
                    // The response has no address and is never replaced.
                }
            }
        }
        return message;
    }

    byte[] response(byte[] message) {
        ByteBuffer bytes = ByteBuffer.wrap(message);
        Asked question = asked.remove(bytes.getInt(0));
        if (question == null) {
            return message;
        }
        ResponseHeader.parse(bytes, question.api.responseHeaderVersion(question.version));
        int headerLength = bytes.position();
        ApiMessage changed = changed(question.api, question.version, new ByteBufferAccessor(bytes));
        if (changed == null) {
            return message;
        }
        ByteBuffer body =
                MessageUtil.toByteBufferAccessor(changed, question.version).buffer();
        return ByteBuffer.allocate(headerLength + body.remaining())
                .put(message, 0, headerLength)
                .put(body)
                .array();
    }

    /** Returns the response with replaced addresses, or a rare response; null to forward it unchanged. */
    private @Nullable ApiMessage changed(ApiKeys api, short version, ByteBufferAccessor bytes) {
        return switch (api) {
            case METADATA -> {
                var data = new MetadataResponseData(bytes, version);
                data.brokers()
                        .forEach(node ->
                                node.setPort(own(node.host(), node.port())).setHost(HOST));
                yield data;
            }
            case DESCRIBE_CLUSTER -> {
                var data = new DescribeClusterResponseData(bytes, version);
                data.brokers()
                        .forEach(node ->
                                node.setPort(own(node.host(), node.port())).setHost(HOST));
                yield data;
            }
            case FIND_COORDINATOR -> {
                var data = new FindCoordinatorResponseData(bytes, version);
                data.coordinators().stream()
                        .filter(node -> node.port() > 0)
                        .forEach(node ->
                                node.setPort(own(node.host(), node.port())).setHost(HOST));
                if (data.port() > 0) {
                    data.setPort(own(data.host(), data.port())).setHost(HOST);
                }
                yield data;
            }
            case FETCH -> {
                var data = new FetchResponseData(bytes, version);
                data.nodeEndpoints()
                        .forEach(node ->
                                node.setPort(own(node.host(), node.port())).setHost(HOST));
                boolean rare = network.rareAnswers().change(data);
                yield data.nodeEndpoints().isEmpty() && !rare ? null : data;
            }
            case PRODUCE -> {
                var data = new ProduceResponseData(bytes, version);
                data.nodeEndpoints()
                        .forEach(node ->
                                node.setPort(own(node.host(), node.port())).setHost(HOST));
                boolean rare = network.rareAnswers().change(data);
                yield data.nodeEndpoints().isEmpty() && !rare ? null : data;
            }
            case SHARE_FETCH -> {
                var data = new ShareFetchResponseData(bytes, version);
                data.nodeEndpoints()
                        .forEach(node ->
                                node.setPort(own(node.host(), node.port())).setHost(HOST));
                yield data.nodeEndpoints().isEmpty() ? null : data;
            }
            case SHARE_ACKNOWLEDGE -> {
                var data = new ShareAcknowledgeResponseData(bytes, version);
                data.nodeEndpoints()
                        .forEach(node ->
                                node.setPort(own(node.host(), node.port())).setHost(HOST));
                yield data.nodeEndpoints().isEmpty() ? null : data;
            }
            default -> rareAnswer(api, version, bytes);
        };
    }

    /** Returns a rare response to use instead; null to forward the response unchanged. */
    private @Nullable ApiMessage rareAnswer(ApiKeys api, short version, ByteBufferAccessor bytes) {
        return switch (api) {
            case OFFSET_COMMIT -> {
                var data = new OffsetCommitResponseData(bytes, version);
                yield network.rareAnswers().change(data) ? data : null;
            }
            case HEARTBEAT -> {
                var data = new HeartbeatResponseData(bytes, version);
                yield network.rareAnswers().change(data) ? data : null;
            }
            case CONSUMER_GROUP_HEARTBEAT -> {
                var data = new ConsumerGroupHeartbeatResponseData(bytes, version);
                yield network.rareAnswers().change(data) ? data : null;
            }
            case TXN_OFFSET_COMMIT -> {
                var data = new TxnOffsetCommitResponseData(bytes, version);
                yield network.rareAnswers().change(data, version) ? data : null;
            }
            default -> null;
        };
    }

    private int own(String host, int port) {
        return network.portFor(host, port);
    }
}
