package dev.weir.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that no address of a broker passes a proxy. */
class AddressRewriterTest {

    private static final int CORRELATION = 5;
    private static final int BROKER_PORT = 9092;

    private final ProxyNetwork network = new ProxyNetwork();
    private final AddressRewriter rewriter = new AddressRewriter(network);

    @AfterEach
    void close() {
        network.close();
    }

    /** Sends a request and this response through the proxy, and returns the body of the response that arrives. */
    private ByteBufferAccessor arriving(ApiKeys api, ApiMessage response) {
        short version = api.latestVersion();
        byte[] ignored = rewriter.request(ByteBuffer.allocate(8)
                .putShort(api.id)
                .putShort(version)
                .putInt(CORRELATION)
                .array());
        ByteBuffer sent = RequestUtils.serialize(
                new ResponseHeaderData().setCorrelationId(CORRELATION),
                api.responseHeaderVersion(version),
                response,
                version);
        byte[] bytes = new byte[sent.remaining()];
        sent.get(bytes);
        ByteBuffer arrived = ByteBuffer.wrap(rewriter.response(bytes));
        assertThat(ResponseHeader.parse(arrived, api.responseHeaderVersion(version))
                        .correlationId())
                .isEqualTo(CORRELATION);
        return new ByteBufferAccessor(arrived);
    }

    /** Regression: after a change of leader, share consumers went around the proxy. */
    @Test
    void leaderInAResponseToAShareFetch_isAPortOfTheProxy() {
        ShareFetchResponseData response = new ShareFetchResponseData();
        response.nodeEndpoints()
                .add(new ShareFetchResponseData.NodeEndpoint()
                        .setNodeId(1)
                        .setHost("127.0.0.1")
                        .setPort(BROKER_PORT));

        var arrived = new ShareFetchResponseData(
                arriving(ApiKeys.SHARE_FETCH, response), ApiKeys.SHARE_FETCH.latestVersion());

        assertThat(arrived.nodeEndpoints().find(1).port()).isEqualTo(network.portFor("127.0.0.1", BROKER_PORT));
    }

    @Test
    void leaderInAResponseToAcknowledgements_isAPortOfTheProxy() {
        ShareAcknowledgeResponseData response = new ShareAcknowledgeResponseData();
        response.nodeEndpoints()
                .add(new ShareAcknowledgeResponseData.NodeEndpoint()
                        .setNodeId(1)
                        .setHost("127.0.0.1")
                        .setPort(BROKER_PORT));

        var arrived = new ShareAcknowledgeResponseData(
                arriving(ApiKeys.SHARE_ACKNOWLEDGE, response), ApiKeys.SHARE_ACKNOWLEDGE.latestVersion());

        assertThat(arrived.nodeEndpoints().find(1).port()).isEqualTo(network.portFor("127.0.0.1", BROKER_PORT));
    }
}
