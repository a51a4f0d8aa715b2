package dev.weir.cli.replay;

import dev.weir.command.client.ClientFault;
import dev.weir.command.client.ClusterClients;
import dev.weir.command.terminal.CliFailure;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.OriginalRecords;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the originals of dead-letter records. Opens its consumer when the first original is needed. Confined to one
 * thread.
 */
final class LazyOriginals implements AutoCloseable {

    private final ClusterClients clients;
    private final Duration patience;
    private @Nullable OriginalRecords originals;

    LazyOriginals(ClusterClients clients, Duration patience) {
        this.clients = clients;
        this.patience = patience;
    }

    /**
     * Looks for the original of a dead-letter record.
     *
     * @throws TopicAuthorizationException if reading this original is not allowed; other originals may be allowed
     * @throws CliFailure if the brokers do not answer
     */
    OriginalRecords.Outcome find(DeadLetterRecord deadLetter) {
        if (originals == null) {
            originals = clients.configured(() -> OriginalRecords.open(clients.consumer(), patience));
        }
        try {
            return originals.find(deadLetter);
        } catch (TopicAuthorizationException ofThisOne) {
            throw ofThisOne;
        } catch (KafkaException failure) {
            throw CliFailure.work(
                    "cannot read the original of the dead-letter record of " + deadLetter.origin() + ": "
                            + ClientFault.withCause(failure),
                    "Committed dead-letter records are not sent again; --filter leaves it out.",
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
