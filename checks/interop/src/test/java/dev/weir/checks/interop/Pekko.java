package dev.weir.checks.interop;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import org.apache.pekko.actor.ActorSystem;

/** Creates actor systems of Pekko without logs, and without threads that keep the tests from ending. Stateless. */
final class Pekko {

    private static final Config CONFIG = ConfigFactory.parseString(
                    "pekko { daemonic = on, stdout-loglevel = OFF, loglevel = OFF, jvm-exit-on-fatal-error = off }")
            .withFallback(ConfigFactory.load());

    private Pekko() {}

    static ActorSystem system() {
        return ActorSystem.create("interop", CONFIG);
    }
}
