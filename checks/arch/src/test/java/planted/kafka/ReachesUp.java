package planted.kafka;

import planted.cli.Prints;

/** Uses the command from the Kafka module. */
final class ReachesUp {
    Object up() {
        return new Prints();
    }
}
