"""Words that a question is made with rather than about, by language.

Gathered by hand: function words and the words of asking. Words that can be a topic
(`work`, `time`, `off`) are left out, as a rare word too many costs less than one too few.
English contractions need no entry, `local.py` takes them apart (`what's` is `what`).
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _words(
    """
    a an the this that these those such
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose what which when where why how whether whatever whichever whoever
    is am are was were be been being do does did doing done have has had having
    can could may might must shall should will would ought cannot
    dont doesnt didnt isnt cant wont im ive whats hows wheres
    and or but nor if then else than so as because since while until though although
    of in on at by to for from with about into onto upon within through during among
    not no too very just only also both either neither each every any some all most more much
    many few other another same own there here now ever yet still again once
    please tell let lets show explain describe
    e.g i.e etc vs eg ie
    """
)

GERMAN = _words(
    """
    der die das den dem des ein eine einen einem einer eines kein keine keinen keiner
    ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen man
    mein meine meinen meiner dein deine sein seine seinen seiner unser unsere euer eure
    ihre ihren ihrem ihrer ihres dies diese dieser dieses diesen diesem jene jener
    wer wen wem wessen was wann wo wohin woher wie warum wieso weshalb welche welcher
    welches welchen welchem wieviel wieviele
    ist sind bin bist war waren wird werden wurde wurden worden sein hat habe haben hatte
    hatten kann können konnte konnten könnte könnten muss müssen musste soll sollen sollte
    darf dürfen will wollen möchte möchten gibt
    und oder aber denn weil wenn als ob dass daß so nicht auch nur noch schon sehr mehr
    in im an am auf aus bei beim mit nach von vom vor zu zum zur für über um unter durch
    gegen ohne zwischen seit bis während dann da hier dort mal bitte viel viele
    """
)

FRENCH = _words(
    """
    le la les l un une des du de d au aux ce cet cette ces cela ça ceci
    je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y en
    mon ma mes ton ta tes son sa ses notre nos votre vos
    qui que qu quoi quel quelle quels quelles quand où comment pourquoi combien lequel
    laquelle lesquels lesquelles dont
    est sont était étaient être été ai as a avons avez ont avait avaient avoir fait faire
    peut peuvent pouvait doit doivent c n ne pas plus
    et ou mais donc or ni car si comme parce dans sur sous avec sans pour par vers chez
    entre pendant depuis avant après aussi très tout tous toute toutes
    """
)

SPANISH = _words(
    """
    el la los las lo un una unos unas del al este esta estos estas ese esa esos esas
    aquel aquella esto eso
    yo tú usted él ella nosotros ellos ellas ustedes me te se le les nos mi mis tu tus su sus
    nuestro nuestra
    qué quién quiénes cuál cuáles cuándo dónde adónde cómo cuánto cuánta cuántos cuántas
    que quien quienes cual cuales cuando donde como cuanto
    es son era eran fue fueron ser sido está están estaba estaban estar ha han había habían
    haber hay hizo hacer hace puede pueden podía debe deben tiene tienen tenía tuvo
    y e o u pero sino si no porque por para con sin sobre entre desde hasta hacia según
    durante de en a ante bajo tras más muy también ya
    """
)

RUSSIAN = _words(
    """
    и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только
    ее её мне было вот от меня еще ещё нет о из ему когда даже ну ли если или ни быть был
    него до вас ней для мы тебя их чем была сам чтоб чтобы без чего себя под будет кто этот
    того потому этого какой какая какое какие каким какими какого какую каких каком совсем
    этом эти эта это при об можно нужно надо более между сколько почему зачем где куда откуда
    который которая которое которые которого которой которых которым чей чья чьё чьи
    были является являются может могут мог кого кому чему кем такое такой
    """
)

ARABIC = _words(
    """
    من في على إلى الى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى أين اين كيف لماذا
    هل أي اي أية كم هو هي هم هن أنا نحن أنت كان كانت كانوا يكون تكون قد لقد أن ان إن لا لم
    لن و أو او ثم بين بعد قبل عند كل بعض غير ليس إذا اذا لماذا لمن بماذا فيما وما وهو وهي
    """
)

HINDI = _words(
    """
    का की के को ने से में पर और या है हैं था थे थी हो हुआ हुई हुए कि जो वह यह वे ये इस उस
    इन उन एक क्या कौन कब कहाँ कहां कैसे कैसा कैसी क्यों कितना कितने कितनी किस किसे किसने
    किसका किसकी किसके कौनसा कौनसी कौन-सा तक भी ही तो ना नहीं लिए द्वारा साथ अपने अपनी अपना
    कर करने किया करता करती करते गया गई गए जाता जाती जाते रहा रही रहे होता होती होते
    """
)

BY_LANGUAGE = {
    "en": ENGLISH,
    "de": GERMAN,
    "fr": FRENCH,
    "es": SPANISH,
    "ru": RUSSIAN,
    "ar": ARABIC,
    "hi": HINDI,
}

# English words that the other Latin lists also hold: they say nothing about the language.
ENGLISH_LOOKALIKES = _words(
    """
    die den dies war man hat so in an am will bin also was mal sage sein um des
    comment on a as me son ton or car sale pour plus sous fait en dans entre par sur tout
    no he sin con ha e o u y es era ante son la le los las de el del van
    """
)
