package planted.kafka.internal.hither;

import planted.kafka.internal.thither.Thither;

/** One half of a cycle. */
public class Hither {
    Thither thither = new Thither();
}
