package planted.kafka.internal.hither;

import planted.kafka.internal.thither.Thither;

/** One half of a circle. */
public class Hither {
    Thither thither = new Thither();
}
