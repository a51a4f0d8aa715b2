package dev.weir.checks.integration;

import dev.weir.lean.LeanSettings;
import dev.weir.lean.spi.MessageLinks;
import dev.weir.lean.spi.MessageNetwork;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;

/** A client that sends requests on another client's share session. Confined to the test's thread. */
final class ShareSaboteur implements MessageNetwork.Receiver {

    private static final short VERSION = 2;
    private static final int MOST = 10_000;
    private static final Duration SOON = Duration.ofMinutes(1);

    private boolean answered;
    private Errors error = Errors.NONE;

    private ShareSaboteur() {}

    /** Tries one epoch after the other, until the broker accepts the epoch of the member's next request. */
    static void useUpAnEpoch(String bootstrapServer, String group, String member) {
        ShareSaboteur saboteur = new ShareSaboteur();
        int colon = bootstrapServer.lastIndexOf(':');
        InetSocketAddress address = InetSocketAddress.createUnresolved(
                bootstrapServer.substring(0, colon), Integer.parseInt(bootstrapServer.substring(colon + 1)));
        try (MessageLinks links = new MessageLinks(LeanSettings.builder()
                .property("bootstrap.servers", bootstrapServer)
                .build())) {
            MessageNetwork.Channel link = links.open("saboteur", () -> List.of(address), saboteur);
            ConsumerLedger.await("connected", SOON, () -> {
                int ignored = links.poll(System.nanoTime());
                return link.canSend();
            });
            for (int epoch = 1; epoch < MOST; epoch++) {
                saboteur.answered = false;
                link.send(
                        new ShareAcknowledgeRequestData()
                                .setGroupId(group)
                                .setMemberId(member)
                                .setShareSessionEpoch(epoch),
                        VERSION);
                while (!saboteur.answered) {
                    links.await(TimeUnit.MILLISECONDS.toNanos(100));
                    int ignored = links.poll(System.nanoTime());
                }
                if (saboteur.error == Errors.NONE) {
                    return;
                }
            }
        }
        throw new AssertionError("no epoch was taken, the last time: " + saboteur.error);
    }

    @Override
    public void answered(ApiMessage answer) {
        error = Errors.forCode(((ShareAcknowledgeResponseData) answer).errorCode());
        answered = true;
    }

    @Override
    public void lost(String why) {
        throw new AssertionError(why);
    }
}
