package dev.weir.testkit.internal;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.ResponseHeader;
import org.jspecify.annotations.Nullable;

/**
 * Puts the ports of a network in place of the brokers' addresses in what brokers answer on one connection. Requests are
 * seen by one thread and responses by another.
 */
final class AddressRewriter {

    private static final String HOST = "127.0.0.1";

    private record Asked(ApiKeys api, short version) {}

    private final ProxyNetwork network;
    private final Map<Integer, Asked> asked = new ConcurrentHashMap<>();

    AddressRewriter(ProxyNetwork network) {
        this.network = network;
    }

    /** Notes what is asked; changes nothing. */
    byte[] request(byte[] message) {
        ByteBuffer header = ByteBuffer.wrap(message);
        short key = header.getShort();
        short version = header.getShort();
        if (ApiKeys.hasId(key)) {
            ApiKeys api = ApiKeys.forId(key);
            switch (api) {
                case METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER, FETCH, PRODUCE ->
                    asked.put(header.getInt(), new Asked(api, version));
                default -> {
                    // Its answer tells no address.
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

    /** The answer with other addresses, or null if it has none. */
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
                yield data.nodeEndpoints().isEmpty() ? null : data;
            }
            case PRODUCE -> {
                var data = new ProduceResponseData(bytes, version);
                data.nodeEndpoints()
                        .forEach(node ->
                                node.setPort(own(node.host(), node.port())).setHost(HOST));
                yield data.nodeEndpoints().isEmpty() ? null : data;
            }
            default -> null;
        };
    }

    private int own(String host, int port) {
        return network.portFor(host, port);
    }
}
