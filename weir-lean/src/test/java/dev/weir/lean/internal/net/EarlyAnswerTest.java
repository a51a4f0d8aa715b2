package dev.weir.lean.internal.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.LeanException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ServerSocketFactory;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests responses that arrive while their request is still being sent. They are errors (ADR 183): an answered request's
 * buffers are reused, so the request might contain other bytes.
 */
@Timeout(120)
class EarlyAnswerTest {

    private static final int OWN_BYTES = 100;

    /** More bytes than both sockets can hold. */
    private static final List<ByteBuffer> MUCH =
            Collections.nCopies(32, ByteBuffer.allocateDirect(1_024 * 1_024).asReadOnlyBuffer());

    private static final String NO_ANSWER = "an answer to a request that had not left yet";

    private Peer peer;

    @BeforeEach
    void connect() throws Exception {
        peer = new Peer(Map.of(), ServerSocketFactory.getDefault());
    }

    @AfterEach
    void disconnect() throws Exception {
        peer.close();
    }

    /** Sends a small request. It is written completely although nobody reads it. */
    private void sendSmall() throws Exception {
        peer.send(ApiKeys.METADATA, OWN_BYTES, List.of());
        peer.pollUntil(peer.connection::canSend);
    }

    /** Sends a large request. It is written only in part. */
    private void sendLarge() {
        peer.send(
                ApiKeys.PRODUCE,
                OWN_BYTES,
                MUCH.stream().map(ByteBuffer::duplicate).toList());
        assertThat(peer.connection.canSend()).isFalse();
    }

    private void assertNoAnswer(List<Integer> answeredBefore) {
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(() -> peer.pollUntil(() -> peer.answered.size() > answeredBefore.size()))
                .withMessageContaining(NO_ANSWER);
        assertThat(peer.connection.isClosed()).isTrue();
        assertThat(peer.connection.closeReason()).isEqualTo(NO_ANSWER);
        assertThat(peer.answered).isEqualTo(answeredBefore);
    }

    @Test
    void answerToTheOnlyRequest_beforeItHasLeft_isNoAnswer() throws Exception {
        sendLarge();
        peer.answer(1);
        assertNoAnswer(List.of());
    }

    /** At the time of the response, no other request is in flight. */
    @Test
    void answerToTheLastRequest_beforeItHasLeft_isNoAnswer_thoughThoseBeforeWereAnswered() throws Exception {
        sendSmall();
        sendSmall();
        sendLarge();
        peer.answer(1);
        peer.answer(2);
        peer.pollUntil(() -> peer.answered.size() == 2);
        peer.answer(3);
        assertNoAnswer(List.of(1, 2));
    }

    /** The answered request is sent, but another request is still being sent. */
    @Test
    void answerToAnEarlierRequest_whileTheLastOneLeaves_isTaken() throws Exception {
        sendSmall();
        sendLarge();
        peer.answer(1);
        peer.pollUntil(() -> !peer.answered.isEmpty());
        assertThat(peer.answered).containsExactly(1);
        assertThat(peer.connection.canSend()).isFalse();
        FutureTask<ByteBuffer> reader = new FutureTask<>(() -> {
            assertThat(peer.read().getInt(0)).isEqualTo(1);
            ByteBuffer large = peer.read();
            peer.answer(2);
            return large;
        });
        Thread.ofPlatform().daemon().name("reader").start(reader);
        peer.pollUntil(() -> peer.answered.size() == 2);
        assertThat(peer.answered).containsExactly(1, 2);
        ByteBuffer large = reader.get(1, TimeUnit.MINUTES);
        assertThat(large.getInt(0)).isEqualTo(2);
        assertThat(large.remaining())
                .isEqualTo(OWN_BYTES
                        + MUCH.stream().mapToInt(ByteBuffer::remaining).sum());
    }
}
