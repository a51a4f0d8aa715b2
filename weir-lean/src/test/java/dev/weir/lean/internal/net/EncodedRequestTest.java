package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.spi.MessageNetwork;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ServerSocketFactory;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageSizeAccumulator;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the header and cache of encoded requests, and a connection's versions. */
@Timeout(120)
class EncodedRequestTest {

    private Peer peer;

    @BeforeEach
    void connect() throws Exception {
        peer = new Peer(Map.of(), ServerSocketFactory.getDefault());
    }

    @AfterEach
    void disconnect() throws Exception {
        peer.close();
    }

    /** Version 8 has a header without tags, version 9 one with tags. */
    @ParameterizedTest
    @CsvSource({"8, 1", "9, 2"})
    void request_hasTheHeaderOfItsVersion(short version, short headerVersion) throws Exception {
        MetadataRequestData request =
                new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName("t")));
        for (int number = 1; number <= 2; number++) {
            peer.connection.send(ApiKeys.METADATA, version, request);
            peer.pollUntil(peer.connection::canSend);
            ByteBuffer bytes = peer.read();
            RequestHeader header = RequestHeader.parse(bytes);
            assertThat(header.headerVersion()).isEqualTo(headerVersion);
            assertThat(header).isEqualTo(new RequestHeader(ApiKeys.METADATA, version, "client", number));
            assertThat(new MetadataRequestData(new ByteBufferAccessor(bytes), version))
                    .isEqualTo(request);
            assertThat(bytes.hasRemaining()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void selfEncodedRequests_shareOneCache_othersHaveTheirOwn(boolean isSelfEncoded) {
        List<ObjectSerializationCache> caches = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            ApiMessage request = isSelfEncoded ? new SelfEncoded(caches) : new Generated(caches);
            peer.connection.send(ApiKeys.METADATA, (short) 9, request);
        }
        assertThat(caches).hasSize(2);
        assertThat(caches.getFirst() == caches.getLast()).isEqualTo(isSelfEncoded);
    }

    /** Records the cache that it gets. */
    private static class Generated extends MetadataRequestData {

        private final List<ObjectSerializationCache> caches;

        Generated(List<ObjectSerializationCache> caches) {
            this.caches = caches;
        }

        @Override
        public void addSize(MessageSizeAccumulator size, ObjectSerializationCache cache, short version) {
            caches.add(cache);
            super.addSize(size, cache, version);
        }
    }

    private static final class SelfEncoded extends Generated implements MessageNetwork.SelfEncoded {

        SelfEncoded(List<ObjectSerializationCache> caches) {
            super(caches);
        }
    }

    @Test
    void maxVersion_isTheBrokers_orNone() {
        assertThat(peer.connection.maxVersion(ApiKeys.PRODUCE)).isEqualTo(ApiKeys.PRODUCE.latestVersion());
        assertThat(peer.connection.maxVersion(ApiKeys.API_VERSIONS)).isEqualTo(ApiKeys.API_VERSIONS.latestVersion());
        assertThat(peer.connection.maxVersion(ApiKeys.OFFSET_COMMIT)).isEqualTo((short) -1);
    }
}
