package planted.kafka;

import planted.cli.Prints;

/** The Kafka module uses the command. */
final class ReachesUp {
    Object up() {
        return new Prints();
    }
}
