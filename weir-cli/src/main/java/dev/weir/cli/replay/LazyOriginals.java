package dev.weir.cli.replay;

import dev.weir.cli.client.ClientFault;
import dev.weir.cli.client.ClusterClients;
import dev.weir.cli.terminal.CliFailure;
import dev.weir.kafka.letter.Letter;
import dev.weir.kafka.letter.Originals;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * The originals of dead-letter records, read by a consumer that is opened for the first of them. Confined to one
 * thread.
 */
final class LazyOriginals implements AutoCloseable {

    private final ClusterClients clients;
    private final Duration patience;
    private @Nullable Originals originals;

    LazyOriginals(ClusterClients clients, Duration patience) {
        this.clients = clients;
        this.patience = patience;
    }

    /**
     * Looks for the original of a dead-letter record.
     *
     * @throws TopicAuthorizationException if reading this original is not allowed; others may be
     * @throws CliFailure if the brokers do not answer
     */
    Originals.Outcome find(Letter letter) {
        if (originals == null) {
            originals = clients.configured(() -> Originals.open(clients.consumer(), patience));
        }
        try {
            return originals.find(letter);
        } catch (TopicAuthorizationException ofThisOne) {
            throw ofThisOne;
        } catch (KafkaException failure) {
            throw CliFailure.work(
                    "cannot read the original of the letter of " + letter.origin() + ": "
                            + ClientFault.withCause(failure),
                    "Committed letters are not sent again; --filter leaves it out.",
                    failure);
        }
    }

    @Override
    public void close() {
        if (originals != null) {
            originals.close();
        }
    }
}
